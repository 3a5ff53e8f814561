import type { JsonObject } from '@phaseline/basics';
import type { JobId, StreamId } from '@phaseline/contracts';
import {
  decideReservation,
  findAdministrationCatalogue,
  foldDailyBudget,
  getAdministrationVersion,
  UNUSED_BUDGET,
  type BudgetEvent,
  type DailyBudget,
} from '@phaseline/domain';
import { WrongExpectedVersion, type EventLog, type NewEvent } from '@phaseline/event-store';
import { LRUCache } from 'lru-cache';
import { deriveEventId, type EventOrigin } from './new-event.js';

/** Number of budgets that are kept in memory. Each is small; a person has one per day. */
const MAX_CACHED_BUDGETS = 1_024;

export interface Reservation {
  /** Stream of the budget, from `budgetStream`. */
  readonly budget: StreamId;
  /** Id of the reservation. The same id is reserved once. */
  readonly reservation: string;
  readonly jobId: JobId;
  readonly phase: number;
  readonly costMicroUsd: number;
}

/**
 * The budgets of people for a day. A price is reserved before the call, at the version of the budget that was decided on, so that jobs that race
 * for the last of it cannot pass it together.
 */
export class DailyBudgets {
  private readonly cache = new LRUCache<StreamId, DailyBudget>({ max: MAX_CACHED_BUDGETS });

  constructor(private readonly store: Pick<EventLog, 'append' | 'iterate'>) {}

  /** Reserves a price. Returns what remains of the budget if it is too small, and `undefined` if the price is reserved. */
  async reserve(
    { budget, ...request }: Reservation,
    capMicroUsd: number,
    origin: EventOrigin,
  ): Promise<{ readonly remainingMicroUsd: number } | undefined> {
    for (;;) {
      const state = await this.load(budget);
      const decided = decideReservation(state, capMicroUsd, request);
      if ('remainingMicroUsd' in decided) return decided;
      if (await this.append(budget, state.version, decided, origin)) return undefined;
    }
  }

  /** Replaces a reservation by what the call cost. Settling it again changes nothing. */
  async settle(
    { budget, reservation, costMicroUsd }: Pick<Reservation, 'budget' | 'reservation' | 'costMicroUsd'>,
    origin: EventOrigin,
  ): Promise<void> {
    await this.append(budget, 'any', [{ type: 'BudgetSettled', data: { reservation, costMicroUsd } }], origin);
  }

  async load(budget: StreamId): Promise<DailyBudget> {
    const catalogue = findAdministrationCatalogue(budget);
    if (!catalogue) throw new Error(`${budget} is not the stream of a budget`);
    const known = this.cache.get(budget) ?? UNUSED_BUDGET;
    const events: BudgetEvent[] = [];
    for await (const event of this.store.iterate(budget, { from: known.version + 1 }))
      events.push(catalogue.decode(event) as BudgetEvent);
    const state = events.length === 0 ? known : foldDailyBudget(events, known);
    this.cache.set(budget, state);
    return state;
  }

  /** Appends at the expected version. Returns false if another process appended first. */
  private async append(
    budget: StreamId,
    expectedVersion: number | 'any',
    events: readonly BudgetEvent[],
    origin: EventOrigin,
  ): Promise<boolean> {
    if (events.length === 0) return true;
    try {
      const list = events.map((event) => buildBudgetEvent(budget, event, origin));
      await this.store.append({ streamId: budget, correlationId: budget as string, expectedVersion, events: list });
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedVersion) return false;
      throw error;
    }
  }
}

function buildBudgetEvent(budget: StreamId, event: BudgetEvent, origin: EventOrigin): NewEvent {
  return {
    eventId: deriveEventId(`${budget}/${event.type}/${event.data.reservation}`),
    type: event.type,
    schemaVersion: getAdministrationVersion(event.type),
    // The types of events and origins have no index signature, although both are JSON.
    data: event.data as unknown as JsonObject,
    metadata: { ...origin } as unknown as JsonObject,
  };
}
