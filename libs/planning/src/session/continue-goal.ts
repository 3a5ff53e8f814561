import type { PlanContext } from '../artifacts/plan-context.js';
import { toInstructions } from './bound-text.js';
import type { EarlierPlan } from './earlier-plan.js';
import type { PlanRequest } from './plan-request.js';
import { addMessage, type PlanSession } from './plan-session.js';

/** Characters of earlier messages that are kept, so that the files of a prompt hold the artifacts too. The artifacts have what the rest led to. */
const MAX_EARLIER_CHARACTERS = 8_000;

const CONTINUES = 'This session starts from the approved plan.';

/**
 * Returns the session that continues the goal of an approved plan, as after its rejection: the words of the request are feedback on it. A request
 * with the words of the goal itself asks for no change. `contentHash` is that of the approved schedule.
 */
export function continueGoal(session: PlanSession, earlier: EarlierPlan, contentHash: string): PlanSession {
  const { planId, plan, messages } = earlier;
  const { goal } = plan.context;
  const words = session.goal;
  const said = messages[0]?.text === goal ? messages.slice(1) : messages;
  const continued: PlanSession = {
    ...{ ...session, goal, continues: { planId, contentHash }, selectedPattern: plan.outline.pattern },
    messages: [{ from: 'person', text: goal }, ...takeLatest(said)],
  };
  const told = addMessage(continued, 'planner', CONTINUES);
  if (words === goal) return told;
  return { ...addMessage(told, 'person', words), hasFeedback: true, instructions: toInstructions(words) };
}

function takeLatest(messages: EarlierPlan['messages']): EarlierPlan['messages'] {
  let room = MAX_EARLIER_CHARACTERS;
  const first = messages.findLastIndex(({ text }) => (room -= text.length) < 0);
  return messages.slice(first + 1);
}

/**
 * Returns the context of an approved plan with what the request says. Work that was planned before today begins today, and an end that has passed
 * is open again.
 */
export function continueContext(
  { zone, calendar, capacity, strategy, start: wantedStart, end: wantedEnd }: PlanRequest,
  { today }: Pick<PlanSession, 'today'>,
  before: PlanContext,
): PlanContext {
  const { start: plannedStart, end: plannedEnd, fixed } = before.dates;
  const start = wantedStart ?? (plannedStart < today ? today : plannedStart);
  const end = wantedEnd ?? plannedEnd;
  return {
    ...before,
    ...{ zone: zone ?? before.zone, calendar: calendar ?? before.calendar, capacity: capacity ?? before.capacity },
    strategy: strategy ?? before.strategy,
    dates: { start, fixed, ...(end !== undefined && end >= start && { end }) },
  };
}
