import { getDayInZone } from '@phaseline/basics';
import {
  budgetStream,
  buildPhaseFailed,
  phaseStream,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import type { DailyBudgets, EventOrigin } from '@phaseline/repository';
import type { PendingCommit } from './pending-commit.js';
import type { StepParts } from './step-parts.js';

/**
 * Reserves the price of a call in the budget of the person for the day, if there is one, before the call is recorded. Returns the event with its
 * reservation, or the failure of the phase. A worker that dies in between leaves the reservation: the budget is never passed, only used up earlier.
 */
export async function reserveInDailyBudget(
  { state, now }: PendingCommit,
  event: PhaseEvent,
  { budgets, origin, processId }: Pick<StepParts, 'budgets' | 'origin' | 'processId'>,
): Promise<PhaseEvent> {
  const { daily } = state.money.allowance;
  if (event.type !== 'ModelCallStarted' || !daily || state.start.recording) return event;
  const { jobId, phase } = state.start.identity;
  const { zone, costMicroUsd: cap, ...owner } = daily;
  const budget = budgetStream(getDayInZone(now, zone), owner);
  // Two workers may decide on the same call. Each has a reservation of its own, and gives it back if the call of the other is recorded.
  const reservation = `${phaseStream(jobId, phase)}@${state.version}/${processId}`;
  const costMicroUsd = event.data.reservedMicroUsd;
  const refused = await budgets.reserve({ budget, reservation, jobId, phase, costMicroUsd }, cap, origin);
  if (!refused) return { ...event, data: { ...event.data, daily: { budget, reservation } } };
  const [price, rest] = [costMicroUsd, refused.remainingMicroUsd].map((micro) => `$${(micro / 1_000_000).toFixed(4)}`);
  const message = `the next call could exceed the daily budget: it may cost up to ${price}, and ${rest} remain today`;
  return buildPhaseFailed('daily_limit', message, false);
}

interface Settling {
  readonly budgets: DailyBudgets;
  readonly origin: EventOrigin;
}

/**
 * After a commit: replaces the reservation of the call that ended in it by what the call cost, and gives back one whose call was not recorded, because
 * another worker recorded it. A call that may have been charged keeps its reservation. `after` is the state in the log.
 */
export async function settleDailyBudget(
  before: PhaseState,
  events: readonly PhaseEvent[],
  after: PhaseState,
  { budgets, origin }: Settling,
): Promise<void> {
  const ended = before.modelCall.open?.daily;
  const costMicroUsd = events.map(getCost).find((cost) => cost !== undefined);
  if (ended && costMicroUsd !== undefined) await settle(budgets, ended, costMicroUsd, origin);
  const current = after.modelCall.open?.daily?.reservation;
  for (const daily of listReservations(events))
    if (daily.reservation !== current) await settle(budgets, daily, 0, origin);
}

/** After a refused commit: gives back what was reserved for its call, which nobody makes. */
export async function releaseReservations(events: readonly PhaseEvent[], { budgets, origin }: Settling): Promise<void> {
  for (const daily of listReservations(events)) await settle(budgets, daily, 0, origin);
}

type Daily = NonNullable<PhaseEventData<'ModelCallStarted'>['daily']>;

function listReservations(events: readonly PhaseEvent[]): readonly Daily[] {
  return events.flatMap(({ type, data }) => (type === 'ModelCallStarted' && data.daily ? [data.daily] : []));
}

function settle(
  budgets: DailyBudgets,
  { budget, reservation }: Daily,
  costMicroUsd: number,
  origin: EventOrigin,
): Promise<void> {
  // Read from an event, whose schema knows only texts.
  return budgets.settle({ budget, reservation, costMicroUsd }, origin);
}

/** What the call that an event ends cost; `undefined` if it ends none, or the price is unknown. */
function getCost({ type, data }: PhaseEvent): number | undefined {
  if (type === 'ModelCallFailed') return data.mayBeCharged ? undefined : 0;
  return isAnswer(type) ? (data as PhaseEventData<'ModelResponded'>).costMicroUsd : undefined;
}

const answers: ReadonlySet<string> = new Set([
  'ModelResponded',
  'ConversationSummarised',
  'JudgeEnded',
  'ReflectionRecorded',
]);

function isAnswer(type: string): boolean {
  return answers.has(type);
}
