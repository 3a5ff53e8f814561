import { clip } from '@phaseline/basics';
import { artifactKinds } from '../artifacts/adaptation-log-entry.js';
import type { PlanSession } from './plan-session.js';

/** Characters of what the person said that a shortened conversation keeps, newest first. It is what later drafts follow, so most of it is kept. */
const MAX_PERSON_CHARACTERS = 2_400;
const MAX_PERSON_MESSAGE_CHARACTERS = 600;
/** Messages of the planner repeat what the artifacts say: the last ones are enough to understand the replies. */
const MAX_PLANNER_MESSAGES = 4;
const MAX_PLANNER_MESSAGE_CHARACTERS = 160;

type Message = PlanSession['messages'][number];

/**
 * Returns the session with a bounded conversation: the goal, the latest words of the person, and the beginnings of the latest messages of the planner.
 * Artifacts, facts and counters stay, so that the next prompts say the same with fewer tokens.
 */
export function shortenConversation(session: PlanSession): PlanSession {
  const [goal, ...later] = session.messages;
  if (!goal) return session;
  let left = MAX_PERSON_CHARACTERS;
  let plannerMessages = MAX_PLANNER_MESSAGES;
  const kept: Message[] = [];
  for (const message of later.toReversed()) {
    const shorter = shorten(message);
    const isPerson = message.from === 'person';
    if (isPerson) left -= shorter.text.length;
    else plannerMessages -= 1;
    if ((isPerson ? left : plannerMessages) >= 0) kept.unshift(shorter);
  }
  return { ...session, messages: [goal, ...kept] };
}

function shorten({ from, text }: Message): Message {
  return {
    from,
    text: clip(text, (from === 'person' ? MAX_PERSON_MESSAGE_CHARACTERS : MAX_PLANNER_MESSAGE_CHARACTERS) - 1),
  };
}

/** What a turn cost, in millionths of a USD, and the ceiling that it passed. */
export interface TurnCost {
  readonly costMicroUsd: number;
  readonly softCostMicroUsd: number;
}

/** Says in two sentences what a plan has so far, and what the turn cost. */
export function summarizeTurn({ hashes, stage }: PlanSession, { costMicroUsd, softCostMicroUsd }: TurnCost): string {
  const made = artifactKinds.filter((kind) => hashes[kind] !== undefined);
  const next = stage === 'approval' ? 'your approval' : `the ${stage}`;
  const has = made.length === 0 ? 'nothing yet' : `its ${new Intl.ListFormat('en').format(made)}`;
  return `The plan has ${has}, and ${next} is next. This turn cost ${formatUsd(costMicroUsd)}, more than its ceiling of ${formatUsd(softCostMicroUsd)}.`;
}

function formatUsd(micro: number): string {
  return `$${(micro / 1_000_000).toFixed(2)}`;
}
