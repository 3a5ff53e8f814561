import { getWeek } from '../calendar/instant.js';
import { splitByDay } from '../calendar/split-by-day.js';
import { type FlatProblem, type FlatTask, isMovable } from './flat-problem.js';
import type { Proof } from './schedule.js';

type Reason = 'closed' | 'taken' | 'overlap' | 'day' | 'week';

/** Finds appointments that cannot take place as they are, whatever is done with the movable tasks. */
export function findFixedConflict(problem: FlatProblem): Proof | undefined {
  const fixed = problem.tasks
    .filter((task) => !isMovable(task) && task.minutes > 0)
    .sort((a, b) => a.fixedStart! - b.fixedStart!);
  const build = (reason: Reason, tasks: readonly FlatTask[]): Proof => ({
    conflict: tasks.map(({ id }) => id),
    argument: { kind: 'fixed_dates', reason },
  });
  for (const [index, task] of fixed.entries()) {
    if (!isOpen(problem, task)) return build('closed', [task]);
    if (isTaken(problem, task)) return build('taken', [task]);
    // Sorted by start, so that a task that overlaps any earlier one makes some neighbours overlap.
    const before = fixed[index - 1];
    if (before && getEnd(before) > task.fixedStart!) return build('overlap', [before, task]);
  }
  const day = findOverfull(problem, fixed, 'day');
  if (day) return build('day', day);
  const week = findOverfull(problem, fixed, 'week');
  return week && build('week', week);
}

function getEnd({ fixedStart, minutes }: FlatTask): number {
  return fixedStart! + minutes;
}

function isOpen({ calendar }: FlatProblem, { fixedStart, minutes }: FlatTask): boolean {
  return calendar.workingMinutesBetween(fixedStart!, fixedStart! + minutes) === minutes;
}

function isTaken({ taken }: FlatProblem, task: FlatTask): boolean {
  return taken.some(({ start, end }) => start < getEnd(task) && task.fixedStart! < end);
}

/** The appointments of a day or week that, with the taken time, exceed its capacity. The buffer is for movable work only. */
function findOverfull(
  problem: FlatProblem,
  fixed: readonly FlatTask[],
  span: 'day' | 'week',
): readonly FlatTask[] | undefined {
  const { calendar, capacity, taken } = problem;
  const limit = span === 'day' ? capacity.minutesPerDay : capacity.minutesPerWeek;
  const getKey = (day: number) => (span === 'day' ? day : getWeek(day));
  const used = new Map<number, number>();
  for (const { day, minutes } of taken.flatMap((interval) => splitByDay(calendar, interval)))
    used.set(getKey(day), (used.get(getKey(day)) ?? 0) + minutes);
  const members = new Map<number, FlatTask[]>();
  for (const task of fixed) {
    for (const { day, minutes } of splitByDay(calendar, { start: task.fixedStart!, end: getEnd(task) })) {
      const key = getKey(day);
      used.set(key, (used.get(key) ?? 0) + minutes);
      const tasks = members.get(key) ?? [];
      if (tasks.at(-1) !== task) members.set(key, [...tasks, task]);
      if (used.get(key)! > limit) return members.get(key);
    }
  }
  return undefined;
}
