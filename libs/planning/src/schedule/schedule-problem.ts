import type { CalendarSpec } from '../calendar/calendar-spec.js';
import type { Recurrence } from '../calendar/expand-recurrence.js';
import type { Interval } from '../calendar/instant.js';
import type { Link, NetworkTask } from '../network/network.js';

/**
 * Length of the pieces of time that movable tasks consist of, in minutes. Fifteen, because a shorter session is of no use to a person, every offset
 * of a zone is a multiple of it, and a year of evenings has few enough of them to try every order of eight tasks.
 */
export const SLOT_MINUTES = 15;

/** A task of a plan. One without `fixedStart` is movable: it is worked on in sessions of whole slots. A fixed one is a single appointment. */
export interface ScheduleTask extends NetworkTask {
  /** The plan is of use without it, so that a relaxation may drop it. */
  readonly optional?: boolean;
}

/**
 * A task that recurs at the times of a rule. Its occurrences are appointments with the ids `series#1`, `series#2` …; those on dates without any open
 * time are skipped. A link from a series leaves its first start or its last end; one to it reaches its first start or its last end.
 */
export interface TaskSeries {
  readonly id: string;
  readonly minutes: number;
  readonly recurrence: Recurrence;
  /** Numbers of occurrences that are left out, from 1. */
  readonly except?: readonly number[];
}

/** Working minutes that a person has for all plans together. Weeks begin on Monday. */
export interface Capacity {
  readonly minutesPerDay: number;
  readonly minutesPerWeek: number;
}

/** How movable work is laid out. Only `bufferShare` is binding; the rest is kept as far as dates and links allow. */
export interface PlacementProfile {
  readonly distribution: 'even' | 'front_loaded' | 'back_loaded';
  /** Share of the capacity that movable work leaves free, 0 ≤ share < 1. */
  readonly bufferShare: number;
  /** ISO weekdays, 1 is Monday; empty for no preference. */
  readonly preferredWeekdays: readonly number[];
}

/** What is to be scheduled. All work lies within `window`; its end is the deadline of the plan. */
export interface ScheduleProblem {
  readonly calendar: CalendarSpec;
  readonly window: Interval;
  readonly tasks: readonly ScheduleTask[];
  readonly series: readonly TaskSeries[];
  readonly links: readonly Link[];
  readonly capacity: Capacity;
  /** Time of other plans. It is not available, and counts towards the capacity of its day and week. */
  readonly taken: readonly Interval[];
  readonly profile: PlacementProfile;
}

/** Capacity that movable work may fill up to: without the buffer, in whole minutes. */
export function getPlannedCapacity({
  capacity,
  bufferShare,
}: {
  readonly capacity: Capacity;
  readonly bufferShare: number;
}): Capacity {
  const reduce = (minutes: number) => Math.round(minutes * (1 - bufferShare));
  return { minutesPerDay: reduce(capacity.minutesPerDay), minutesPerWeek: reduce(capacity.minutesPerWeek) };
}

/** Rounds work up to whole slots. */
export function countSlots(minutes: number): number {
  return Math.ceil(minutes / SLOT_MINUTES);
}
