import { addLag } from '../calendar/add-lag.js';
import type { Instant } from '../calendar/instant.js';
import { type FlatProblem, type FlatTask, isMovable } from './flat-problem.js';
import { listPieces, type Piece } from './proof-pieces.js';
import type { RefutedOrder } from './schedule.js';
import { SLOT_MINUTES } from './schedule-problem.js';

/**
 * Tells whether every order of the movable tasks that agrees with the links begins with one of the given orders. An order that breaks off
 * before it has been refuted, and in which some task can still come next, is continued with each of those tasks.
 */
export function coversEveryOrder(
  { links }: FlatProblem,
  movable: readonly string[],
  refuted: readonly (readonly string[])[],
): boolean {
  const known = new Set(refuted.map((order) => JSON.stringify(order)));
  const covers = (order: readonly string[]): boolean => {
    if (known.has(JSON.stringify(order))) return true;
    const next = movable.filter((id) => !order.includes(id) && isNext(links, movable, order, id));
    return next.length > 0 && next.every((id) => covers([...order, id]));
  };
  return covers([]);
}

/** Tells whether a task, done right after the given order, each as early as possible, is too late for one of its dates or links. */
export function isLateAfter(problem: FlatProblem, { order, late }: RefutedOrder): boolean {
  const movable = problem.tasks.filter(isMovable).map(({ id }) => id);
  const whole = [...order, late];
  const isPossible = whole.every(
    (id, index) => movable.includes(id) && isNext(problem.links, movable, whole.slice(0, index), id),
  );
  if (!isPossible || new Set(whole).size < whole.length) return false;
  const run = new OrderRun(problem);
  // If a task before it is too late already, no schedule begins with this order either.
  return whole.some((id) => !run.append(problem.tasks.find((task) => task.id === id)!));
}

function isNext(links: FlatProblem['links'], movable: readonly string[], done: readonly string[], id: string): boolean {
  return links.every(({ from, to }) => to !== id || !movable.includes(from) || done.includes(from));
}

/** Does tasks one after another, each in the earliest pieces. */
class OrderRun {
  private readonly pieces: readonly Piece[];
  private readonly times = new Map<string, { start: Instant; end: Instant }>();
  private readonly filled = new Map<string, number>();
  private lastEnd = -Infinity;

  constructor(private readonly problem: FlatProblem) {
    this.pieces = listPieces(problem);
    for (const { id, fixedStart, minutes } of problem.tasks)
      if (fixedStart !== undefined) this.times.set(id, { start: fixedStart, end: fixedStart + minutes });
  }

  /** Returns whether the task is in time. */
  append(task: FlatTask): boolean {
    const { start, end } = this.findBounds(task);
    const times = task.minutes === 0 ? this.placeMilestone(Math.max(start, end)) : this.fill(task, start, end);
    if (!times) return false;
    this.times.set(task.id, times);
    return (
      times.start <= (task.latestStart ?? Infinity) &&
      times.end <= Math.min(task.latestEnd ?? Infinity, this.problem.window.end) &&
      this.keepsAppointments(task.id)
    );
  }

  private findBounds(task: FlatTask): { start: Instant; end: Instant } {
    let start = Math.max(this.problem.window.start, task.earliestStart ?? -Infinity);
    let end = -Infinity;
    for (const { from, to, kind, lag, unit } of this.problem.links) {
      if (to !== task.id) continue;
      const before = this.times.get(from)!;
      const bound = addLag(this.problem.calendar, kind[0] === 'S' ? before.start : before.end, lag, unit);
      if (kind[1] === 'S') start = Math.max(start, bound);
      else end = Math.max(end, bound);
      if (isMovable(this.problem.tasks.find(({ id }) => id === from)!)) start = Math.max(start, before.end);
    }
    return { start, end };
  }

  private placeMilestone(bound: Instant): { start: Instant; end: Instant } {
    const at = this.problem.calendar.canEndAt(bound) ? bound : this.problem.calendar.nextOpen(bound);
    return { start: at, end: at };
  }

  private fill(task: FlatTask, start: Instant, end: Instant): { start: Instant; end: Instant } | undefined {
    const count = Math.ceil(task.minutes / SLOT_MINUTES);
    const own: Piece[] = [];
    for (const piece of this.pieces) {
      if (own.length === count) break;
      const { day, week, dayLimit, weekLimit } = piece;
      const isTooEarly = piece.start < Math.max(this.lastEnd, start) || (own.length === count - 1 && piece.end < end);
      const [inDay, inWeek] = [this.filled.get(`day ${day}`) ?? 0, this.filled.get(`week ${week}`) ?? 0];
      if (isTooEarly || inDay >= dayLimit || inWeek >= weekLimit) continue;
      this.filled.set(`day ${day}`, inDay + 1);
      this.filled.set(`week ${week}`, inWeek + 1);
      own.push(piece);
    }
    if (own.length < count) return undefined;
    this.lastEnd = own.at(-1)!.end;
    return { start: own[0]!.start, end: this.lastEnd };
  }

  private keepsAppointments(from: string): boolean {
    const { start, end } = this.times.get(from)!;
    return this.problem.links.every((link) => {
      const to = this.problem.tasks.find(({ id }) => id === link.to)!;
      if (link.from !== from || isMovable(to)) return true;
      const bound = addLag(this.problem.calendar, link.kind[0] === 'S' ? start : end, link.lag, link.unit);
      const limit = link.kind[1] === 'S' ? to.fixedStart! : to.fixedStart! + to.minutes;
      return bound <= limit;
    });
  }
}
