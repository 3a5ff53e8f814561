import { assertNever } from '@phaseline/basics';
import { getWeek } from '../calendar/instant.js';
import { splitByDay } from '../calendar/split-by-day.js';
import { type FlatProblem, flattenProblem, isMovable, restrictProblem } from './flat-problem.js';
import { forceTimes } from './proof-bounds.js';
import { listPieces, measurePieces } from './proof-pieces.js';
import { coversEveryOrder, isLateAfter } from './proof-orders.js';
import type { Proof } from './schedule.js';
import type { ScheduleProblem } from './schedule-problem.js';

/**
 * Checks a proof that a problem has no schedule. Only the tasks of the conflict and the links among them are used, since what is impossible with
 * them is impossible with more. It shares no code with the search, apart from the calendar and the meaning of series.
 */
export function checkProof(problem: ScheduleProblem, { conflict, argument }: Proof): boolean {
  const whole = flattenProblem(problem);
  const ids = new Set(conflict);
  const known = new Set(whole.tasks.map(({ id }) => id));
  if (ids.size === 0 || ids.size < conflict.length || conflict.some((id) => !known.has(id))) return false;
  const part = restrictProblem(whole, ids);
  if (argument.kind === 'cycle') return isCycle(part, argument.cycle);
  // All other arguments walk along the links.
  const forced = forceTimes(part);
  if (!forced) return false;
  switch (argument.kind) {
    case 'fixed_dates':
      return breaksFixedRule(part, argument.reason);
    case 'chain':
      return forced.late.has(argument.late);
    case 'work':
      return isOverloaded(part, argument);
    case 'every_order': {
      const movable = part.tasks.filter(isMovable).map(({ id }) => id);
      const orders = argument.refuted.map(({ order }) => order);
      return coversEveryOrder(part, movable, orders) && argument.refuted.every((refuted) => isLateAfter(part, refuted));
    }
    default:
      return assertNever(argument);
  }
}

function isCycle({ links }: FlatProblem, cycle: readonly string[]): boolean {
  return (
    cycle.length > 0 &&
    cycle.every((id, index) => {
      const next = cycle[(index + 1) % cycle.length];
      return links.some(({ from, to }) => from === id && to === next);
    })
  );
}

function breaksFixedRule(
  { calendar, taken, capacity, tasks }: FlatProblem,
  reason: 'closed' | 'taken' | 'overlap' | 'day' | 'week',
): boolean {
  const fixed = tasks.flatMap(({ fixedStart, minutes }) =>
    fixedStart === undefined || minutes === 0 ? [] : [{ start: fixedStart, end: fixedStart + minutes }],
  );
  const sumBy = (getKey: (day: number) => number, limit: number) => {
    const sums = new Map<number, { own: number; all: number }>();
    for (const [index, interval] of [...fixed, ...taken].entries()) {
      for (const { day, minutes } of splitByDay(calendar, interval)) {
        const { own = 0, all = 0 } = sums.get(getKey(day)) ?? {};
        sums.set(getKey(day), { own: own + (index < fixed.length ? minutes : 0), all: all + minutes });
      }
    }
    return [...sums.values()].some(({ own, all }) => own > 0 && all > limit);
  };
  switch (reason) {
    case 'closed':
      return fixed.some(({ start, end }) => calendar.workingMinutesBetween(start, end) < end - start);
    case 'taken':
      return fixed.some((own) => taken.some(({ start, end }) => start < own.end && own.start < end));
    case 'overlap':
      return fixed.some((a, index) => fixed.some((b, other) => other > index && a.start < b.end && b.start < a.end));
    case 'day':
      return sumBy((day) => day, capacity.minutesPerDay);
    case 'week':
      return sumBy(getWeek, capacity.minutesPerWeek);
    default:
      return assertNever(reason);
  }
}

/** Checks that no counted task can begin before `from` or end after `to`, and that they need more than there is in between. */
function isOverloaded(
  problem: FlatProblem,
  { tasks, from, to }: { readonly tasks: readonly string[]; readonly from: number; readonly to: number },
): boolean {
  const times = forceTimes(problem)!;
  const counted = problem.tasks.filter((task) => tasks.includes(task.id) && isMovable(task));
  if (counted.length !== tasks.length) return false;
  // One more minute of work after `to` has to break some date.
  const tooLate = problem.calendar.addWorkingMinutes(to, 1);
  const areInside = counted.every(
    ({ id }) =>
      times.start.get(id)! >= from &&
      (tooLate > problem.window.end || forceTimes(problem, { id, end: tooLate })!.late.size > 0),
  );
  const pieces = listPieces(problem).filter(({ start, end }) => start >= from && end <= to);
  return areInside && measurePieces(counted) > countFilled(pieces);
}

/** Number of pieces that work can fill within the capacity of days and weeks. */
function countFilled(pieces: ReturnType<typeof listPieces>): number {
  const weeks = Map.groupBy(pieces, ({ week }) => week);
  return [...weeks.values()].reduce((sum, inWeek) => {
    const days = [...Map.groupBy(inWeek, ({ day }) => day).values()];
    const filled = days.reduce((total, inDay) => total + Math.min(inDay.length, inDay[0]!.dayLimit), 0);
    return sum + Math.min(filled, inWeek[0]!.weekLimit);
  }, 0);
}
