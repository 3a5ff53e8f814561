import type { Interval } from '../calendar/instant.js';
import { joinIntervals } from '../calendar/join-intervals.js';
import type { Layout } from './distribute-work.js';
import type { FlatProblem, FlatTask } from './flat-problem.js';
import type { PlacedSchedule, PlacedTask } from './schedule.js';
import { SLOT_MINUTES } from './schedule-problem.js';

/** Writes placements as a schedule: slots that touch are one session. */
export function buildSchedule(problem: FlatProblem, layout: Layout): PlacedSchedule {
  const tasks = problem.tasks
    .map((task): PlacedTask => {
      const { id, series } = task;
      return { id, ...(series === undefined ? {} : { series }), ...buildTimes(task, layout) };
    })
    .sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
  return { zone: problem.calendar.zone, tasks, skipped: problem.skipped };
}

function buildTimes(
  { id, fixedStart, minutes }: FlatTask,
  { placements, slots }: Layout,
): Pick<PlacedTask, 'start' | 'end' | 'sessions'> {
  if (fixedStart !== undefined) {
    const whole: Interval = { start: fixedStart, end: fixedStart + minutes };
    return { ...whole, sessions: minutes === 0 ? [] : [whole] };
  }
  const { start, end, slots: filled } = placements.get(id)!;
  const pieces = filled.map((position) => ({
    start: slots[position]!.start,
    end: slots[position]!.start + SLOT_MINUTES,
  }));
  return { start, end, sessions: joinIntervals(pieces) };
}
