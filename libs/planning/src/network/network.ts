import type { LagUnit } from '../calendar/add-lag.js';
import type { Instant } from '../calendar/instant.js';
import type { WorkingCalendar } from '../calendar/working-calendar.js';

/** Which ends a link connects, the predecessor's first: `FS` says that the successor starts after the predecessor's finish. */
export const linkKinds = ['FS', 'SS', 'FF', 'SF'] as const;
type LinkKind = (typeof linkKinds)[number];

/** The end of `to` that the kind names is not before that of `from` plus the lag. */
export interface Link {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkKind;
  /** Minutes; negative for a lead. */
  readonly lag: number;
  readonly unit: LagUnit;
}

/** Dates that a task has of its own. */
interface TaskDates {
  readonly earliestStart?: Instant;
  readonly latestStart?: Instant;
  readonly latestEnd?: Instant;
  /** The task is an appointment: it starts at this instant and is not moved. */
  readonly fixedStart?: Instant;
}

/** Work of a length; zero minutes are a milestone. */
export interface NetworkTask extends TaskDates {
  readonly id: string;
  readonly minutes: number;
}

/** Tasks and their links on a calendar. Ids are unique, and links name tasks that exist. */
export interface Network {
  readonly calendar: WorkingCalendar;
  /** No task starts before. */
  readonly start: Instant;
  readonly tasks: readonly NetworkTask[];
  readonly links: readonly Link[];
}

/** Tells whether a link leaves the start of its predecessor. */
export function leavesStart({ kind }: Link): boolean {
  return kind === 'SS' || kind === 'SF';
}

/** Tells whether a link reaches the start of its successor. */
export function reachesStart({ kind }: Link): boolean {
  return kind === 'FS' || kind === 'SS';
}

/** Groups links by one of their ends. */
export function groupLinks(links: readonly Link[], end: 'from' | 'to'): ReadonlyMap<string, readonly Link[]> {
  return Map.groupBy(links, (link) => link[end]);
}
