import { NO_CHANGES, readChanges, type ChangeReading } from './read-changes.js';
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

const reply = /^\s*(?:yes|no|ok(?:ay)?|approved?|agreed|refused?|rejected?|continue|go on|apply|\d{1,2})\s*[.!]?\s*$/i;
const changeRequest = /^\s*(?:please )?(?:propose changes?|changes?|instead|reject(?:ed)?)\b\W*/i;

/** Reads everything that a person said about a plan. `messages` may begin with the goal. */
export function readConversation(goal: string, messages: readonly Message[], today: string): ConversationReading {
  const later =
    messages[0]?.from === 'person' && messages[0].text.trim() === goal.trim() ? messages.slice(1) : messages;
  const said = later.flatMap(({ from, text }, index) => {
    if (from !== 'person' || reply.test(text)) return [];
    const before = later[index - 1];
    const question = before?.from === 'planner' && before.text.includes('?') ? before.text : undefined;
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

/** What is said later replaces what was said before. The aim stays, unless it was vague. */
function mergeReadings(before: GoalReading, later: GoalReading): GoalReading {
  const { rhythm = before.rhythm, hours = before.hours, proposal = before.proposal } = later;
  const measure = before.measure ?? (before.aim.isVague ? later.measure : undefined);
  const isEffortStated = Object.keys(later.effort).length > 0;
  return {
    ...before,
    aim: before.aim.isVague && !later.aim.isVague ? later.aim : before.aim,
    text: before.aim.isVague && !later.aim.isVague ? `${before.text}\n${later.text}` : before.text,
    dates: { ...before.dates, ...later.dates },
    effort: isEffortStated ? later.effort : before.effort,
    changeOfState: before.aim.isVague ? Math.max(before.changeOfState, later.changeOfState) : before.changeOfState,
    style: {
      overrides: { ...before.style.overrides, ...later.style.overrides },
      words: [...before.style.words, ...later.style.words],
      wantsIdeas: before.style.wantsIdeas || later.style.wantsIdeas,
    },
    ...(rhythm && { rhythm }),
    ...(hours && { hours }),
    ...(proposal && { proposal }),
    ...(measure && { measure }),
  };
}
