import { removeLag } from '../calendar/add-lag.js';
import type { Instant } from '../calendar/instant.js';
import { sortByLinks } from './find-cycle.js';
import { groupLinks, leavesStart, type Link, type Network, type NetworkTask, reachesStart } from './network.js';

/** The latest times that keep the end of the plan and all dates. */
export interface LatestTimes {
  readonly start: Instant;
  readonly end: Instant;
}

/** Computes the latest times of all tasks for a plan that ends at `end`. The links have no cycle. */
export function computeLatest(network: Network, end: Instant): ReadonlyMap<string, LatestTimes> {
  const tasks = new Map(network.tasks.map((task) => [task.id, task]));
  const outgoing = groupLinks(network.links, 'from');
  const latest = new Map<string, LatestTimes>();
  for (const id of sortByLinks([...tasks.keys()], network.links).toReversed())
    latest.set(id, placeLatest(network, tasks.get(id)!, outgoing.get(id) ?? [], { latest, end }));
  return latest;
}

function placeLatest(
  network: Network,
  task: NetworkTask,
  links: readonly Link[],
  { latest, end }: { readonly latest: ReadonlyMap<string, LatestTimes>; readonly end: Instant },
): LatestTimes {
  const { minutes, fixedStart } = task;
  if (fixedStart !== undefined) return { start: fixedStart, end: fixedStart + minutes };
  let latestEnd = Math.min(end, task.latestEnd ?? end);
  let latestStart = task.latestStart ?? Infinity;
  for (const link of links) {
    const { start, end: finish } = latest.get(link.to)!;
    const limit = removeLag(network.calendar, reachesStart(link) ? start : finish, link.lag, link.unit);
    if (leavesStart(link)) latestStart = Math.min(latestStart, limit);
    else latestEnd = Math.min(latestEnd, limit);
  }
  if (minutes === 0) {
    const at = moveToWork(network, Math.min(latestEnd, latestStart));
    return { start: at, end: at };
  }
  const close = moveToWork(network, latestEnd);
  const worked = network.calendar.subtractWorkingMinutes(close, minutes);
  return { start: latestStart < worked ? moveStartBack(network, latestStart) : worked, end: close };
}

/** Moves a limit in closed time back to the end of open time. The moment at which open time begins stays: a paused task may end there. */
function moveToWork({ calendar }: Network, limit: Instant): Instant {
  return calendar.nextOpen(limit) === limit ? limit : calendar.previousClose(limit);
}

/** Moves a limit of a start back to the last minute in which work can start. */
function moveStartBack({ calendar }: Network, limit: Instant): Instant {
  return calendar.nextOpen(limit) === limit ? limit : calendar.previousClose(limit) - 1;
}
