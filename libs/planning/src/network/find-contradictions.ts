import type { Instant } from '../calendar/instant.js';
import { computeBound, type Driver, type EarliestTimes, keepsLink } from './forward-pass.js';
import { groupLinks, leavesStart, type Link, type Network, type NetworkTask, reachesStart } from './network.js';

/** A date that the links before it cannot meet, even with unlimited capacity. */
export interface Contradiction {
  readonly task: string;
  readonly date: 'fixedStart' | 'latestStart' | 'latestEnd';
  /** What the date says, for the end of the task that is violated. */
  readonly allowed: Instant;
  /** The earliest instant that the chain allows at that end. */
  readonly forced: Instant;
  /** The tasks of the chain, from the one whose date or work begins it to `task`. */
  readonly chain: readonly string[];
}

/** Walks back along what forces one end of a task. */
export function traceChain(
  earliest: ReadonlyMap<string, EarliestTimes>,
  task: string,
  end: 'start' | 'end',
): { readonly tasks: readonly string[]; readonly links: readonly Link[] } {
  const tasks = [task];
  const links: Link[] = [];
  let driver: Driver = end === 'start' ? earliest.get(task)!.startDriver : earliest.get(task)!.endDriver;
  while (driver !== 'date') {
    if (driver === 'work') driver = earliest.get(tasks[0]!)!.startDriver;
    else {
      links.unshift(driver);
      tasks.unshift(driver.from);
      const from = earliest.get(driver.from)!;
      driver = leavesStart(driver) ? from.startDriver : from.endDriver;
    }
  }
  return { tasks, links };
}

/** Finds every date that the links and dates before it cannot meet, in the order of the tasks. */
export function findContradictions(
  network: Network,
  earliest: ReadonlyMap<string, EarliestTimes>,
): readonly Contradiction[] {
  const incoming = groupLinks(network.links, 'to');
  return network.tasks.flatMap((task) =>
    task.fixedStart === undefined
      ? checkDates(task, earliest)
      : checkFixed({ network, earliest }, task, incoming.get(task.id) ?? []),
  );
}

function checkDates(task: NetworkTask, earliest: ReadonlyMap<string, EarliestTimes>): readonly Contradiction[] {
  const { id } = task;
  const { start, end } = earliest.get(id)!;
  const { latestStart = Infinity, latestEnd = Infinity } = task;
  if (start > latestStart) {
    const chain = traceChain(earliest, id, 'start').tasks;
    return [{ task: id, date: 'latestStart', allowed: latestStart, forced: start, chain }];
  }
  if (end <= latestEnd) return [];
  return [
    { task: id, date: 'latestEnd', allowed: latestEnd, forced: end, chain: traceChain(earliest, id, 'end').tasks },
  ];
}

/** A fixed task does not move, so that its own dates and each of its links are compared with where it is. */
function checkFixed(
  { network, earliest }: { readonly network: Network; readonly earliest: ReadonlyMap<string, EarliestTimes> },
  task: NetworkTask,
  links: readonly Link[],
): readonly Contradiction[] {
  const { id, minutes } = task;
  const { start, end } = earliest.get(id)!;
  const floor = Math.max(network.start, task.earliestStart ?? network.start);
  const base = { task: id, date: 'fixedStart' } as const;
  const found: Contradiction[] = start < floor ? [{ ...base, allowed: start, forced: floor, chain: [id] }] : [];
  if (start > (task.latestStart ?? Infinity) || end > (task.latestEnd ?? Infinity)) {
    const allowed = Math.min(task.latestStart ?? Infinity, (task.latestEnd ?? Infinity) - minutes);
    found.push({ ...base, allowed, forced: start, chain: [id] });
  }
  for (const link of links) {
    const from = earliest.get(link.from)!;
    if (keepsLink(network, link, from, { start, end })) continue;
    const forced = computeBound(network, link, from, minutes);
    const allowed = reachesStart(link) ? start : end;
    const { tasks } = traceChain(earliest, link.from, leavesStart(link) ? 'start' : 'end');
    found.push({ ...base, allowed, forced, chain: [...tasks, id] });
  }
  return found;
}
