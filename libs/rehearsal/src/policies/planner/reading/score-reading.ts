import type { ConversationReading } from './read-conversation.js';

const CERTAIN = 0.9;
/** What each assumption costs. An aim that says nothing costs most, because every title is guessed. */
const NO_END = 0.1;
const NO_EFFORT = 0.1;
const VAGUE_AIM = 0.3;
const DOUBT = 0.25;

/** Below this score a draft has no estimates: what is not known at all is not estimated. */
export const LOST_SCORE = 0.1;

/**
 * Returns how confident the planner is in what it makes of the words, 0 to 0.9: 0.9 minus 0.1 without an end (a rhythm needs none), 0.1 without
 * rhythm, effort or hours, 0.3 if the aim says nothing ("get better"), and 0.25 per phrase of doubt ("maybe") in what the person said last.
 */
export function scoreReading({ goal, doubts }: Pick<ConversationReading, 'goal' | 'doubts'>): number {
  const { dates, rhythm, effort, hours, aim } = goal;
  const isEndKnown = dates.end !== undefined || rhythm !== undefined;
  const isEffortKnown = rhythm !== undefined || hours !== undefined || Object.keys(effort).length > 0;
  const score =
    CERTAIN -
    (isEndKnown ? 0 : NO_END) -
    (isEffortKnown ? 0 : NO_EFFORT) -
    (aim.isVague ? VAGUE_AIM : 0) -
    DOUBT * doubts;
  return Math.max(0, Number(score.toFixed(2)));
}
