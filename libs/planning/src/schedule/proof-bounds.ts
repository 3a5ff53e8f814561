import { addLag } from '../calendar/add-lag.js';
import type { Instant } from '../calendar/instant.js';
import { type FlatProblem, type FlatTask, isMovable } from './flat-problem.js';

/** The earliest times that dates, work and links force, and the tasks that they make too late. */
export interface ForcedTimes {
  readonly start: ReadonlyMap<string, Instant>;
  readonly end: ReadonlyMap<string, Instant>;
  readonly late: ReadonlySet<string>;
}

/**
 * Raises the times of all tasks until no link raises them any more, with capacity left out; for proofs. `atLeast`: assumes that a task ends then or later.
 * Returns `undefined` if the times never stop rising, that is, if the links have a cycle.
 */
export function forceTimes(
  problem: FlatProblem,
  atLeast?: { readonly id: string; readonly end: Instant },
): ForcedTimes | undefined {
  const start = new Map<string, Instant>();
  const end = new Map<string, Instant>();
  for (const task of problem.tasks) {
    start.set(task.id, task.fixedStart ?? Math.max(problem.window.start, task.earliestStart ?? -Infinity));
    end.set(task.id, task.id === atLeast?.id ? atLeast.end : -Infinity);
  }
  const late = new Set<string>();
  // A chain without a cycle has at most as many links as tasks.
  for (let round = 0; round <= problem.tasks.length + 1; round++) {
    if (!raiseOnce(problem, { start, end, late })) return { start, end, late };
  }
  return undefined;
}

interface Raised {
  readonly start: Map<string, Instant>;
  readonly end: Map<string, Instant>;
  readonly late: Set<string>;
}

/** Raises each task once; returns whether anything changed. */
function raiseOnce(problem: FlatProblem, { start, end, late }: Raised): boolean {
  let hasChanged = false;
  for (const task of problem.tasks) {
    const { id, fixedStart, minutes } = task;
    const raised = raiseTask(problem, task, { start, end, late });
    const isLate =
      raised.start > (fixedStart ?? task.latestStart ?? Infinity) ||
      raised.start > (task.latestStart ?? Infinity) ||
      raised.end > (fixedStart === undefined ? Infinity : fixedStart + minutes) ||
      raised.end > Math.min(task.latestEnd ?? Infinity, problem.window.end) ||
      (fixedStart !== undefined && fixedStart < Math.max(problem.window.start, task.earliestStart ?? -Infinity));
    if (isLate) late.add(id);
    // An appointment hands on where it is, not what is wrong with it.
    const kept = fixedStart === undefined ? raised : { start: fixedStart, end: fixedStart + minutes };
    if (kept.start !== start.get(id) || kept.end !== end.get(id)) hasChanged = true;
    start.set(id, kept.start);
    end.set(id, kept.end);
  }
  return hasChanged;
}

function raiseTask(problem: FlatProblem, task: FlatTask, { start, end }: Raised): { start: Instant; end: Instant } {
  const { calendar, links, tasks } = problem;
  let from = start.get(task.id)!;
  let to = end.get(task.id)!;
  for (const link of links) {
    if (link.to !== task.id) continue;
    const base = (link.kind[0] === 'S' ? start : end).get(link.from)!;
    if (base === -Infinity) continue;
    const bound = addLag(calendar, base, link.lag, link.unit);
    if (link.kind[1] === 'S') from = Math.max(from, bound);
    else to = Math.max(to, bound);
    const areMovable = isMovable(task) && isMovable(tasks.find(({ id }) => id === link.from)!);
    if (areMovable) from = Math.max(from, end.get(link.from)!);
  }
  if (!isMovable(task)) return { start: from, end: Math.max(to, from + task.minutes) };
  if (task.minutes === 0) {
    const at = calendar.canEndAt(Math.max(from, to)) ? Math.max(from, to) : calendar.nextOpen(Math.max(from, to));
    return { start: at, end: at };
  }
  const begin = calendar.nextOpen(from);
  const reached = to === -Infinity || calendar.canEndAt(to) ? to : calendar.nextOpen(to);
  return { start: begin, end: Math.max(reached, calendar.addWorkingMinutes(begin, task.minutes)) };
}
