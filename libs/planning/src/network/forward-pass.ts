import { addLag } from '../calendar/add-lag.js';
import type { Instant } from '../calendar/instant.js';
import { sortByLinks } from './find-cycle.js';
import { groupLinks, leavesStart, type Link, type Network, type NetworkTask, reachesStart } from './network.js';

/** What forces an end of a task to be as late as it is: a link, the task's own start and work, or a date. */
export type Driver = Link | 'work' | 'date';

/** The earliest times that dates and links allow, with capacity left out. */
export interface EarliestTimes {
  readonly start: Instant;
  readonly end: Instant;
  readonly startDriver: Driver;
  readonly endDriver: Driver;
}

/**
 * Computes the earliest times of all tasks. A link forces the end that it reaches: a task whose finish has to wait for another starts when it can and
 * is paused. A lag that ends in closed time moves to the next open time. Fixed tasks stay where they are, also if a link is broken by it.
 * The links have no cycle.
 */
export function computeEarliest(network: Network): ReadonlyMap<string, EarliestTimes> {
  const tasks = new Map(network.tasks.map((task) => [task.id, task]));
  const incoming = groupLinks(network.links, 'to');
  const earliest = new Map<string, EarliestTimes>();
  for (const id of sortByLinks([...tasks.keys()], network.links))
    earliest.set(id, placeEarliest(network, tasks.get(id)!, incoming.get(id) ?? [], earliest));
  return earliest;
}

/** The instant that a link allows at its successor's end, given the times of its predecessor. */
export function computeBound(
  network: Pick<Network, 'calendar'>,
  link: Link,
  from: { readonly start: Instant; readonly end: Instant },
  successorMinutes: number,
): Instant {
  const { calendar } = network;
  const bound = addLag(calendar, leavesStart(link) ? from.start : from.end, link.lag, link.unit);
  return moveToOpen(network, bound, reachesStart(link) ? successorMinutes : 0);
}

/** Tells whether a fixed task keeps a link. Its time is compared as it is, since a fixed milestone, such as the end of a month, may be in closed time. */
export function keepsLink(
  { calendar }: Pick<Network, 'calendar'>,
  link: Link,
  from: { readonly start: Instant; readonly end: Instant },
  fixed: { readonly start: Instant; readonly end: Instant },
): boolean {
  const bound = addLag(calendar, leavesStart(link) ? from.start : from.end, link.lag, link.unit);
  return bound <= (reachesStart(link) ? fixed.start : fixed.end);
}

/** Moves a start to open time. A milestone, like the end of a task (zero minutes), may also be at the moment at which open time ends. */
export function moveToOpen({ calendar }: Pick<Network, 'calendar'>, instant: Instant, minutes: number): Instant {
  return minutes === 0 && calendar.canEndAt(instant) ? instant : calendar.nextOpen(instant);
}

function placeEarliest(
  network: Network,
  task: NetworkTask,
  links: readonly Link[],
  earliest: ReadonlyMap<string, EarliestTimes>,
): EarliestTimes {
  const { calendar } = network;
  const { minutes, fixedStart } = task;
  if (fixedStart !== undefined) {
    return { start: fixedStart, end: fixedStart + minutes, startDriver: 'date', endDriver: 'work' };
  }
  let start = moveToOpen(network, Math.max(network.start, task.earliestStart ?? network.start), minutes);
  let startDriver: Driver = 'date';
  let endBound = -Infinity;
  let boundLink: Link | undefined;
  for (const link of links) {
    const bound = computeBound(network, link, earliest.get(link.from)!, minutes);
    if (reachesStart(link) || minutes === 0) {
      if (bound > start) [start, startDriver] = [bound, link];
    } else if (bound > endBound) [endBound, boundLink] = [bound, link];
  }
  // A milestone takes no time, so that what bounds its finish moves its start.
  if (minutes === 0) {
    start = moveToOpen(network, start, 0);
    return { start, end: start, startDriver, endDriver: 'work' };
  }
  const worked = calendar.addWorkingMinutes(start, minutes);
  return endBound > worked && boundLink
    ? { start, end: endBound, startDriver, endDriver: boundLink }
    : { start, end: worked, startDriver, endDriver: 'work' };
}
