import { assertNever } from '@phaseline/basics';
import { MINUTES_PER_DAY } from '../calendar/instant.js';
import type { Relaxation } from './schedule.js';
import type { ScheduleProblem, ScheduleTask } from './schedule-problem.js';

/** The problem with a relaxation. Days of a later deadline are counted as 24 hours. */
export function applyRelaxation(problem: ScheduleProblem, relaxation: Relaxation): ScheduleProblem {
  switch (relaxation.kind) {
    case 'later_deadline':
      return postpone(problem, relaxation.tasks, relaxation.days * MINUTES_PER_DAY);
    case 'more_capacity':
      return { ...problem, capacity: relaxation.capacity };
    case 'no_buffer':
      return { ...problem, profile: { ...problem.profile, bufferShare: 0 } };
    case 'drop_task':
      return {
        ...problem,
        tasks: problem.tasks.filter(({ id }) => id !== relaxation.task),
        links: problem.links.filter(({ from, to }) => from !== relaxation.task && to !== relaxation.task),
      };
    case 'fewer_occurrences':
      return {
        ...problem,
        series: problem.series.map((series) =>
          series.id === relaxation.series
            ? { ...series, except: [...(series.except ?? []), ...relaxation.dropped] }
            : series,
        ),
      };
    case 'free_date':
      return { ...problem, tasks: problem.tasks.map((task) => (task.id === relaxation.task ? freeDate(task) : task)) };
    default:
      return assertNever(relaxation);
  }
}

function postpone(problem: ScheduleProblem, ids: readonly string[], minutes: number): ScheduleProblem {
  const tasks = problem.tasks.map((task): ScheduleTask => {
    if (!ids.includes(task.id)) return task;
    const { latestStart, latestEnd } = task;
    return {
      ...task,
      ...(latestStart === undefined ? {} : { latestStart: latestStart + minutes }),
      ...(latestEnd === undefined ? {} : { latestEnd: latestEnd + minutes }),
    };
  });
  return { ...problem, tasks, window: { ...problem.window, end: problem.window.end + minutes } };
}

function freeDate({ fixedStart: _fixedStart, ...task }: ScheduleTask): ScheduleTask {
  return task;
}
