import { normaliseText } from './normalise-text.js';
import { PhraseScanner } from './phrase-scanner.js';
import { readAgents, type AgentReading } from './read-agents.js';
import { readAim, type Aim } from './read-aim.js';
import { readChangeOfState, readStates, type StateChange } from './read-change.js';
import { readCircumstances, type CircumstancesReading } from './read-circumstances.js';
import { readDates, type DateReading } from './read-dates.js';
import { readEffort, type EffortReading } from './read-effort.js';
import { readClockHours, readPartOfDay, type HourRange } from './read-hours.js';
import { readMeasure, type MeasureReading } from './read-measure.js';
import { readProposal, type ProposalReading } from './read-proposal.js';
import { readRhythm, type Rhythm } from './read-rhythm.js';
import { readStyle, type StyleReading } from './read-style.js';

/** What the words of a person say about a plan. What they do not say is absent. */
export interface GoalReading {
  readonly aim: Aim;
  readonly dates: DateReading;
  readonly rhythm?: Rhythm;
  readonly hours?: HourRange;
  readonly effort: EffortReading;
  readonly measure?: MeasureReading;
  /** How certain it is that a state changes, 0 to 1. */
  readonly changeOfState: number;
  readonly states?: StateChange;
  readonly style: StyleReading;
  readonly proposal?: ProposalReading;
  readonly agents: readonly AgentReading[];
  readonly circumstances: CircumstancesReading;
  /** Number of phrases that express doubt. */
  readonly doubts: number;
  /** The words about the goal, with numbers as digits: without those about the conversation and about patterns. */
  readonly text: string;
}

const doubt =
  /\b(?:unsure|not (?:so |really |quite )?sure|uncertain|maybe|perhaps|possibly|no idea|(?:do not|don't) (?:really )?know|somehow|something|whatever|kind of|sort of|i guess|hard to say)\b/gi;

/** Orders about the rules of the planner. They are no goal, and are not followed. */
const orders =
  /\b(?:please )?(?:ignore|disregard|forget|override) (?:all |any |your |the |my |previous |prior |above |earlier )*(?:instructions?|rules|prompts?|guidelines)\b|\bapprove (?:everything|anything|all of it|it all|(?:the |this |your |every )?plans? (?:yourself|automatically|at once))\b|\b(?:print|show|reveal|repeat|output)(?: me)? (?:the |your )?(?:system )?(?:prompt|instructions)\b/i;
/** "3 talks, 10 hours each" states the size of each talk. */
function addMinutesEach(
  measure: MeasureReading | undefined,
  { isEach, perSession }: EffortReading,
): MeasureReading | undefined {
  return measure && isEach && perSession !== undefined ? { ...measure, minutesEach: perSession } : measure;
}

/** A longer stretch is when the work is possible, not how long it takes. */
const MAX_SESSION_ON_CLOCK = 240;

/** "From 7 to 9 pm" also says how long a session takes; "at 7 pm" does not. */
function readLengthOnClock({ from, to }: HourRange): EffortReading {
  const minutes = to - from;
  return minutes > 60 && minutes <= MAX_SESSION_ON_CLOCK ? { perSession: minutes } : {};
}

/** Reads a goal, or any other message of a person, in English. `today` is the day on which it was said. */
export function readGoal(words: string, today: string): GoalReading {
  const text = normaliseText(words);
  const opening = new PhraseScanner(text);
  while (opening.take(orders));
  const style = readStyle(opening);
  const proposal = readProposal(opening);
  // Who says nothing but the name of a new pattern means a plan of that kind.
  const isNamedOnly = proposal !== undefined && !/\p{L}{2}/u.test(opening.rest);
  const about = isNamedOnly ? proposal.name.replace('proposed:', '').replaceAll('_', ' ') : opening.rest;
  const scanner = new PhraseScanner(about);
  const agents = readAgents(scanner);
  const circumstances = readCircumstances(scanner, today);
  const stated = readEffort(scanner);
  const clock = readClockHours(scanner);
  const rhythm = readRhythm(scanner);
  const effort = Object.keys(stated).length === 0 && rhythm && clock ? readLengthOnClock(clock) : stated;
  const hours = clock ?? readPartOfDay(scanner, about);
  const dates = readDates(scanner, today);
  const measure = addMinutesEach(readMeasure(scanner.rest, about), rhythm === undefined ? effort : {});
  const states = readStates(scanner.rest);
  return {
    ...{ style, effort, dates, agents, circumstances, text: about },
    ...(proposal && { proposal }),
    ...(hours && { hours }),
    ...(rhythm && { rhythm }),
    ...(measure && { measure }),
    ...(states && { states }),
    changeOfState: readChangeOfState(scanner.rest),
    aim: readAim(scanner.rest, about),
    doubts: new Set([...text.matchAll(doubt)].map(([found]) => found.toLowerCase())).size,
  };
}
