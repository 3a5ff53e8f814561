import { jobIdSchema, type StreamId } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent, type EventOf } from '../event/define-event.js';

const count = z.int().min(0);

export const budgetReserved = defineEvent(
  'BudgetReserved',
  1,
  'The maximum price of a model call was reserved in the budget of a person for a day, before the call.',
  z.object({
    /** Id of the reservation. */
    reservation: z.string(),
    jobId: jobIdSchema,
    phase: z.int().min(1),
    costMicroUsd: count,
  }),
);

export const budgetSettled = defineEvent(
  'BudgetSettled',
  1,
  'What the model call of a reservation cost replaces it. A call whose price is unknown keeps its reservation.',
  z.object({ reservation: z.string(), costMicroUsd: count }),
);

export type BudgetEvent = EventOf<typeof budgetReserved> | EventOf<typeof budgetSettled>;

/** What was used of the budget of a person for a day, folded from its stream. */
export interface DailyBudget {
  readonly version: number;
  /** What the calls whose price is known cost. */
  readonly spentMicroUsd: number;
  /** Open reservations by their id. */
  readonly reserved: Readonly<Record<string, number>>;
}

export const UNUSED_BUDGET: DailyBudget = { version: 0, spentMicroUsd: 0, reserved: {} };

export function foldDailyBudget(events: Iterable<BudgetEvent>, from: DailyBudget = UNUSED_BUDGET): DailyBudget {
  let { version, spentMicroUsd } = from;
  const reserved = new Map(Object.entries(from.reserved));
  for (const { type, data } of events) {
    version += 1;
    if (type === 'BudgetReserved') reserved.set(data.reservation, data.costMicroUsd);
    // A reservation is settled once.
    else if (reserved.delete(data.reservation)) spentMicroUsd += data.costMicroUsd;
  }
  return { version, spentMicroUsd, reserved: Object.fromEntries(reserved) };
}

/** Returns what is used of the budget: what was spent, and what is reserved. */
export function getUsedMicroUsd({ spentMicroUsd, reserved }: DailyBudget): number {
  return Object.values(reserved).reduce((sum, cost) => sum + cost, spentMicroUsd);
}

/** Decides whether a price can be reserved. A reservation that exists is not made again. */
export function decideReservation(
  budget: DailyBudget,
  capMicroUsd: number,
  request: EventOf<typeof budgetReserved>['data'],
): readonly BudgetEvent[] | { readonly remainingMicroUsd: number } {
  if (budget.reserved[request.reservation] !== undefined) return [];
  const remainingMicroUsd = Math.max(0, capMicroUsd - getUsedMicroUsd(budget));
  if (request.costMicroUsd > remainingMicroUsd) return { remainingMicroUsd };
  return [{ type: 'BudgetReserved', data: request }];
}

/** Name of the stream of the budget of a person for a day, such as `2026-11-28`, in the zone of the person. */
export function budgetStream(day: string, owner: { readonly tenant: string; readonly actor: string }): StreamId {
  return `budget-${day}-${owner.actor}@${owner.tenant}`;
}
