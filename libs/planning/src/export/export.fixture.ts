import type { Schedule } from '../artifacts/schedule.js';
import { generateSchedule } from '../schedule/generate-schedule.js';
import { buildScheduleProblem } from '../stage/build-schedule-problem.js';
import type { PlanArtifacts } from '../stage/plan-input.js';
import { toSchedule } from '../stage/to-schedule.js';

/** Schedules a plan that has a schedule. */
export function schedulePlan(plan: PlanArtifacts): PlanArtifacts & { readonly schedule: Schedule } {
  const problem = buildScheduleProblem(plan);
  const answer = generateSchedule(problem);
  if (answer.kind !== 'feasible') throw new Error(`The plan is ${JSON.stringify(answer)}.`);
  return { ...plan, schedule: toSchedule({ ...plan, roadmapHash: 'ab'.repeat(16), problem, placed: answer.schedule }) };
}
