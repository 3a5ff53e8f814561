import type { EffortReading } from './read-effort.js';
import { NO_CHANGES, readChanges, type ChangeReading } from './read-changes.js';
import { addDays } from './days.js';
import type { CircumstancesReading } from './read-circumstances.js';
import type { DateReading } from './read-dates.js';
import { readGoal, type GoalReading } from './read-goal.js';

/** A message of the session. */
export interface Message {
  readonly from: 'person' | 'planner';
  readonly text: string;
}

export interface ConversationReading {
  /** The goal, with what answers and requested changes add to it or replace. */
  readonly goal: GoalReading;
  /** Only what the person asked to change after a draft was shown: it counts more than the context that was collected before. */
  readonly requested: GoalReading | undefined;
  readonly changes: ChangeReading;
  /** Answers to questions of the planner. */
  readonly answers: readonly { readonly question: string; readonly answer: string }[];
  /** Doubts in what the person said last about the goal. */
  readonly doubts: number;
}

const reply =
  /^\s*(?:yes|no|ok(?:ay)?|approved?|agreed|refused?|rejected?|continue|go on|apply|[a-z]|\d{1,2})\s*[.!]?\s*$/i;
const changeRequest = /^\s*(?:please )?(?:propose changes?|changes?|instead|reject(?:ed)?)\b\W*/i;

/** Reads everything that a person said about a plan. `messages` may begin with the goal. */
export function readConversation(goal: string, messages: readonly Message[], today: string): ConversationReading {
  const later =
    messages[0]?.from === 'person' && messages[0].text.trim() === goal.trim() ? messages.slice(1) : messages;
  const said = later.flatMap(({ from, text }, index) => {
    if (from !== 'person' || reply.test(text)) return [];
    const before = later[index - 1];
    const question = before?.from === 'planner' ? listQuestions(before.text) : undefined;
    const isChange = changeRequest.test(text) || question === undefined;
    const words = text.replace(changeRequest, '');
    return [{ isChange, question, words, reading: readGoal(words, today) }];
  });
  const changed = said.filter(({ isChange }) => isChange);
  const first = readGoal(goal, today);
  const requested = changed.map(({ reading }) => reading);
  return {
    goal: said.map(({ reading }) => reading).reduce(mergeReadings, first),
    requested: requested.length === 0 ? undefined : requested.reduce(mergeReadings),
    changes: changed.length === 0 ? NO_CHANGES : readChanges(changed.map(({ words }) => words)),
    answers: said.flatMap(({ isChange, question, words }) =>
      isChange || question === undefined ? [] : [{ question, answer: words }],
    ),
    doubts: (said.at(-1)?.reading ?? first).doubts,
  };
}

/** The lines of a message that ask something, without their numbers; `undefined` if there are none. */
function listQuestions(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.includes('?'));
  return lines.length === 0 ? undefined : lines.map((line) => line.replace(/^\s*(?:\d+\.|-)\s*/, '')).join(' ');
}

/** A goal with this much doubt leaves open what is to be reached, as a vague one does. */
const UNSURE_DOUBTS = 2;

/** What is said later replaces what was said before. The aim stays, unless it was vague or in doubt. */
function mergeReadings(before: GoalReading, later: GoalReading): GoalReading {
  const { rhythm = before.rhythm, hours = before.hours, proposal = before.proposal } = later;
  const isOpen = before.aim.isVague || before.doubts >= UNSURE_DOUBTS;
  const takesAim = isOpen && !later.aim.isVague && later.doubts === 0;
  const measure = before.measure ?? (takesAim ? later.measure : undefined);
  return {
    ...before,
    aim: takesAim ? later.aim : before.aim,
    text: takesAim ? `${before.text}\n${later.text}` : before.text,
    doubts: takesAim ? 0 : before.doubts,
    dates: mergeDates(before.dates, later.dates),
    effort: mergeEfforts(before.effort, later.effort),
    changeOfState: takesAim ? Math.max(before.changeOfState, later.changeOfState) : before.changeOfState,
    style: {
      overrides: { ...before.style.overrides, ...later.style.overrides },
      words: [...before.style.words, ...later.style.words],
      wantsIdeas: before.style.wantsIdeas || later.style.wantsIdeas,
    },
    agents: [...before.agents, ...later.agents],
    circumstances: mergeCircumstances(before.circumstances, later.circumstances),
    ...(rhythm && { rhythm }),
    ...(hours && { hours }),
    ...(proposal && { proposal }),
    ...(measure && { measure }),
  };
}

/** Time per week leaves a stated length of each day or session as it is, if it has room for one every day. */
function mergeEfforts(before: EffortReading, later: EffortReading): EffortReading {
  if (Object.keys(later).length === 0) return before;
  const length = before.perDay ?? before.perSession;
  const isBeside = length !== undefined && later.perWeek !== undefined && 7 * length <= later.perWeek;
  return isBeside ? { ...before, ...later } : later;
}

/** A plan of a stated duration keeps it when only its start changes. */
function mergeDates(before: DateReading, later: DateReading): DateReading {
  const { start, end } = later;
  if (start === undefined || end !== undefined || before.days === undefined) return { ...before, ...later };
  return { ...before, start, end: addDays(start, before.days - 1) };
}

/** Days and weekdays without work add up; everything else is replaced. */
function mergeCircumstances(before: CircumstancesReading, later: CircumstancesReading): CircumstancesReading {
  const weekdays = [...new Set([...(before.closedWeekdays ?? []), ...(later.closedWeekdays ?? [])])];
  return {
    ...before,
    ...later,
    closedDays: [...new Set([...before.closedDays, ...later.closedDays])].toSorted(),
    ...(weekdays.length > 0 && { closedWeekdays: weekdays }),
  };
}
