import type { Instant, Interval } from '../calendar/instant.js';
import type { Capacity } from './schedule-problem.js';

/** When a task is done. `start` and `end` are those of its sessions; a milestone has none. */
export interface PlacedTask {
  readonly id: string;
  readonly series?: string;
  readonly start: Instant;
  readonly end: Instant;
  readonly sessions: readonly Interval[];
}

/** A schedule, its tasks by start and then by id. */
export interface PlacedSchedule {
  readonly zone: string;
  readonly tasks: readonly PlacedTask[];
  /** Occurrences that are left out, since their dates have no open time. */
  readonly skipped: readonly string[];
}

/**
 * Why the tasks of a conflict cannot be scheduled together.
 * - `cycle`: the links lead from each task to the next and back.
 * - `fixed_dates`: appointments are in closed or taken time, overlap, or exceed the capacity of a day or week.
 * - `chain`: dates, work and links make a task later than its date, with capacity left out.
 * - `work`: the links force the tasks into the time from `from` to `to`, which has less capacity than they need.
 * - `every_order`: movable tasks are done one after another, and every order begins with one of `refuted`, after which `late` comes too late.
 */
export type Argument =
  | { readonly kind: 'cycle'; readonly cycle: readonly string[] }
  | { readonly kind: 'fixed_dates'; readonly reason: 'closed' | 'taken' | 'overlap' | 'day' | 'week' }
  | { readonly kind: 'chain'; readonly late: string }
  | { readonly kind: 'work'; readonly tasks: readonly string[]; readonly from: Instant; readonly to: Instant }
  | { readonly kind: 'every_order'; readonly refuted: readonly RefutedOrder[] };

/** An order of the first tasks, and a task that is too late if it comes next. */
export interface RefutedOrder {
  readonly order: readonly string[];
  readonly late: string;
}

/** A proof that a problem has no schedule: some of its tasks, which have none even without the others. */
export interface Proof {
  readonly conflict: readonly string[];
  readonly argument: Argument;
}

/** A change with which the problem has a schedule. */
export type Relaxation =
  | { readonly kind: 'later_deadline'; readonly days: number; readonly tasks: readonly string[] }
  | { readonly kind: 'more_capacity'; readonly capacity: Capacity }
  | { readonly kind: 'no_buffer' }
  | { readonly kind: 'drop_task'; readonly task: string }
  | { readonly kind: 'fewer_occurrences'; readonly series: string; readonly dropped: readonly number[] }
  | { readonly kind: 'free_date'; readonly task: string };

export type ScheduleAnswer =
  | { readonly kind: 'feasible'; readonly schedule: PlacedSchedule }
  | {
      readonly kind: 'infeasible';
      readonly proof: Proof;
      /** Whether every task of the conflict is needed for it: without any one of them the others have a schedule. */
      readonly notMinimal: boolean;
      readonly relaxations: readonly Relaxation[];
    }
  /** The search limit was reached before a schedule or a proof was found. */
  | { readonly kind: 'undecided'; readonly triedPlacements: number };
