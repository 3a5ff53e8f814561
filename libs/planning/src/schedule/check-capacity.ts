import { getWeek } from '../calendar/instant.js';
import { splitByDay } from '../calendar/split-by-day.js';
import type { FlatProblem, FlatTask } from './flat-problem.js';
import type { PlacedTask } from './schedule.js';
import type { ScheduleViolation } from './schedule-violation.js';

interface Use {
  minutes: number;
  isMovable: boolean;
  readonly tasks: Set<string>;
}

/**
 * Lists days and weeks in which work and taken time exceed the capacity; without the buffer, if movable work is among it. What is taken by other plans
 * alone breaks no rule of this one.
 */
export function checkCapacity(
  { calendar, taken, capacity, bufferShare }: FlatProblem,
  pairs: readonly (readonly [planned: FlatTask, done: PlacedTask])[],
): readonly ScheduleViolation[] {
  const days = new Map<number, Use>();
  const weeks = new Map<number, Use>();
  const add = (uses: Map<number, Use>, key: number, minutes: number, task?: FlatTask) => {
    const use = uses.get(key) ?? { minutes: 0, isMovable: false, tasks: new Set<string>() };
    use.minutes += minutes;
    if (task) use.tasks.add(task.id);
    if (task && task.fixedStart === undefined) use.isMovable = true;
    uses.set(key, use);
  };
  const pieces = [
    ...taken.map((interval) => ({ interval, task: undefined })),
    ...pairs.flatMap(([task, { sessions }]) => sessions.map((interval) => ({ interval, task }))),
  ];
  for (const { interval, task } of pieces) {
    for (const { day, minutes } of splitByDay(calendar, interval)) {
      add(days, day, minutes, task);
      add(weeks, getWeek(day), minutes, task);
    }
  }
  const find = (uses: Map<number, Use>, full: number, rule: ScheduleViolation['rule']) =>
    [...uses.values()]
      .filter(
        ({ minutes, isMovable, tasks }) =>
          tasks.size > 0 && minutes > (isMovable ? Math.round(full * (1 - bufferShare)) : full),
      )
      .map(({ tasks }): ScheduleViolation => ({ rule, tasks: [...tasks] }));
  return [
    ...find(days, capacity.minutesPerDay, 'capacity_day'),
    ...find(weeks, capacity.minutesPerWeek, 'capacity_week'),
  ];
}
