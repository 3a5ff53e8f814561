import type { Instant } from '../calendar/instant.js';
import { computeLatest } from '../network/backward-pass.js';
import { computeBound, keepsLink, moveToOpen } from '../network/forward-pass.js';
import { groupLinks, type Link, type Network, reachesStart } from '../network/network.js';
import { type FlatProblem, type FlatTask, isMovable } from './flat-problem.js';
import { type Cursor, type Placement, placeTask } from './place-task.js';
import { countSlots } from './schedule-problem.js';
import type { Slot } from './slots.js';

/** A problem prepared for the search: what the search asks for often is computed once. */
export interface Instance {
  readonly problem: FlatProblem;
  readonly slots: readonly Slot[];
  readonly movable: readonly FlatTask[];
  readonly incoming: ReadonlyMap<string, readonly Link[]>;
  /** Links of a movable task to appointments. */
  readonly toFixed: ReadonlyMap<string, readonly Link[]>;
  /** Movable predecessors of each movable task, one entry per link. */
  readonly pending: ReadonlyMap<string, number>;
  readonly successors: ReadonlyMap<string, readonly Link[]>;
  readonly byId: ReadonlyMap<string, FlatTask>;
  /** Latest end of each task by dates and links; the search takes urgent tasks first. */
  readonly latestEnd: ReadonlyMap<string, Instant>;
}

/** When a task is done. */
export type Times = Pick<Placement, 'start' | 'end'>;

/**
 * The network of a problem, in which the order of movable tasks and the window are links and dates: one thing at a time, so that a movable task begins
 * after its movable predecessor has ended, whatever lead the link allows.
 */
export function toNetwork({ calendar, window, tasks, links }: FlatProblem): Network {
  const movable = new Set(tasks.filter(isMovable).map(({ id }) => id));
  const order = links
    .filter(({ from, to }) => movable.has(from) && movable.has(to))
    .map(({ from, to }): Link => ({ from, to, kind: 'FS', lag: 0, unit: 'working' }));
  const dated = tasks.map((task) => ({ ...task, latestEnd: Math.min(task.latestEnd ?? window.end, window.end) }));
  return { calendar, start: window.start, tasks: dated, links: [...links, ...order] };
}

/** Prepares a problem whose links have no cycle. */
export function createInstance(problem: FlatProblem, slots: readonly Slot[]): Instance {
  const movable = problem.tasks.filter(isMovable);
  const ids = new Set(movable.map(({ id }) => id));
  const inner = problem.links.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const latest = computeLatest(toNetwork(problem), problem.window.end);
  return {
    problem,
    slots,
    movable,
    incoming: groupLinks(problem.links, 'to'),
    toFixed: groupLinks(
      problem.links.filter(({ from, to }) => ids.has(from) && !ids.has(to)),
      'from',
    ),
    pending: new Map(movable.map(({ id }) => [id, inner.filter(({ to }) => to === id).length])),
    successors: groupLinks(inner, 'from'),
    byId: new Map(problem.tasks.map((task) => [task.id, task])),
    latestEnd: new Map([...latest].map(([id, { end }]) => [id, end])),
  };
}

/** Times of the appointments. */
export function getFixedTimes({ problem }: Instance): Map<string, Times> {
  return new Map(
    problem.tasks.flatMap(({ id, fixedStart, minutes }) =>
      fixedStart === undefined ? [] : [[id, { start: fixedStart, end: fixedStart + minutes }]],
    ),
  );
}

/** The earliest start and end that the dates of a task and the times of its predecessors allow. */
export function computeBounds(instance: Instance, task: FlatTask, times: ReadonlyMap<string, Times>): Times {
  const { problem } = instance;
  let start = Math.max(problem.window.start, task.earliestStart ?? -Infinity);
  let end = -Infinity;
  for (const link of instance.incoming.get(task.id) ?? []) {
    const from = times.get(link.from)!;
    const bound = computeBound(problem, link, from, task.minutes);
    if (reachesStart(link) || task.minutes === 0) start = Math.max(start, bound);
    else end = Math.max(end, bound);
    if (isMovable(instance.byId.get(link.from)!)) start = Math.max(start, from.end);
  }
  return { start, end };
}

/** Places a task next, as early as possible within its bounds. Returns `undefined` if it would be too late for a date, a link or the window. */
export function tryPlace(instance: Instance, task: FlatTask, cursor: Cursor, bounds: Times): Placement | undefined {
  const placed =
    task.minutes === 0
      ? placeMilestone(instance.problem, bounds.start, cursor)
      : placeTask(instance.slots, cursor, countSlots(task.minutes), bounds);
  return placed && !isLate(instance, task, placed) ? placed : undefined;
}

function placeMilestone(problem: FlatProblem, start: Instant, cursor: Cursor): Placement {
  const at = moveToOpen(problem, start, 0);
  return { start: at, end: at, slots: [], cursor };
}

function isLate({ problem, toFixed, byId }: Instance, task: FlatTask, { start, end }: Times): boolean {
  if (start > (task.latestStart ?? Infinity)) return true;
  if (end > Math.min(task.latestEnd ?? Infinity, problem.window.end)) return true;
  return (toFixed.get(task.id) ?? []).some((link) => {
    const { minutes, fixedStart = 0 } = byId.get(link.to)!;
    return !keepsLink(problem, link, { start, end }, { start: fixedStart, end: fixedStart + minutes });
  });
}
