import { toCanonicalJson } from '@phaseline/basics';
import type { Schedule } from '../artifacts/schedule.js';
import type { Interval } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { generateSchedule } from '../schedule/generate-schedule.js';
import { buildScheduleProblem } from '../stage/build-schedule-problem.js';
import type { PlanInput } from '../stage/plan-input.js';
import { buildCalendarSpec } from '../stage/read-context.js';
import { toSchedule } from '../stage/to-schedule.js';
import { listWork, type Work } from './list-work.js';

/** A plan with its schedule. `taken` is the time of other plans around which the schedule was made. */
export interface OwnPlan extends PlanInput {
  readonly plan: string;
  readonly schedule: Schedule;
}

/**
 * Lists the work of a plan that is within a window. A schedule says when a task starts and ends, so that the sessions are computed once more, and used if
 * the same schedule results from it.
 */
export function listOwnWork(own: OwnPlan, window: Interval): readonly Work[] {
  return listSessions(own) ?? listTimes(own, window);
}

function listSessions({ plan, schedule, ...input }: OwnPlan): readonly Work[] | undefined {
  const problem = buildScheduleProblem(input);
  const answer = generateSchedule(problem);
  if (answer.kind !== 'feasible') return undefined;
  const placed = answer.schedule;
  const again = toSchedule({ ...input, roadmapHash: schedule.roadmapHash, problem, placed });
  if (toCanonicalJson(again) !== toCanonicalJson(schedule)) return undefined;
  return placed.tasks.flatMap(({ id, series, sessions }) => {
    const task = series ?? id;
    return sessions.map((session): Work => ({ plan, task, title: task, ...session, isExact: true }));
  });
}

function listTimes({ plan, schedule, outline, context }: OwnPlan, window: Interval): readonly Work[] {
  const nodes = new Map(outline.nodes.map((node) => [node.id, node]));
  const tasks = schedule.tasks.map(({ task, start, end, zone, recurrence }) => {
    const { estimateMinutes, exceptDays } = nodes.get(task) ?? {};
    return {
      ...{ plan, task, title: task, start, end, zone },
      ...(recurrence === undefined ? {} : { recurrence }),
      ...(estimateMinutes === undefined ? {} : { workMinutes: estimateMinutes }),
      ...(exceptDays === undefined ? {} : { exceptDays }),
    };
  });
  return listWork(tasks, new WorkingCalendar(buildCalendarSpec(context)), window);
}
