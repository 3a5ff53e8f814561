import { sortByLinks } from './find-cycle.js';
import { groupLinks, leavesStart, type Link, type Network, reachesStart } from './network.js';

/**
 * Finds links that the others imply: another path between the same ends is at least as long, wherever in time it begins. Links with a lead never
 * serve as such a path, because a lead over closed time can be longer than it looks. Of two equal links the later one is redundant, and without
 * all returned links together the earliest times are the same. Fixed tasks do not hand on what forces them, so no path goes through them.
 * The links have no cycle.
 */
export function findRedundantLinks({ tasks, links }: Network): readonly Link[] {
  const order = sortByLinks(
    tasks.map(({ id }) => id),
    links,
  );
  const minutes = new Map(tasks.map((task) => [task.id, task.fixedStart === undefined ? task.minutes : undefined]));
  const redundant = new Set<Link>();
  for (const link of links.toReversed()) {
    const others = links.filter((other) => other !== link && other.lag >= 0 && !redundant.has(other));
    const length = measureLongestPath(link, { order, minutes, others });
    if (length >= link.lag) redundant.add(link);
  }
  return links.filter((link) => redundant.has(link));
}

/** Minutes that the longest path of the other links takes at least, in the unit of the link; -Infinity without a path. */
function measureLongestPath(
  link: Link,
  {
    order,
    minutes,
    others,
  }: {
    readonly order: readonly string[];
    readonly minutes: ReadonlyMap<string, number | undefined>;
    readonly others: readonly Link[];
  },
): number {
  const incoming = groupLinks(others, 'to');
  const reached = new Map<string, { start: number; end: number }>();
  for (const id of order) {
    const at = { start: -Infinity, end: -Infinity };
    if (id === link.from) at[leavesStart(link) ? 'start' : 'end'] = 0;
    for (const other of id === link.from ? [] : (incoming.get(id) ?? [])) {
      const from = reached.get(other.from)!;
      // Elapsed time may be closed, so that it counts as no open time. Open time counts as at least as much elapsed time.
      const lag = link.unit === 'working' && other.unit === 'elapsed' ? 0 : other.lag;
      const end = reachesStart(other) ? 'start' : 'end';
      at[end] = Math.max(at[end], from[leavesStart(other) ? 'start' : 'end'] + lag);
    }
    const work = minutes.get(id);
    if (id === link.to) return at[reachesStart(link) ? 'start' : 'end'];
    if (work === undefined && id !== link.from) at.start = at.end = -Infinity;
    else at.end = Math.max(at.end, at.start + (work ?? 0));
    reached.set(id, at);
  }
  return -Infinity;
}
