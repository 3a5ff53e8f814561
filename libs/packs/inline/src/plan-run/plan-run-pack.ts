import { planRunSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { openRun } from './open-run.js';
import { delegatePlan, storePlan } from './plan-to-graph.js';
import { remakePlan } from './remake-plan.js';
import { runTasks } from './run-tasks.js';

/** Controllers of workflows that carry out plans. */
export const planRunPack = implementPack(planRunSpec, {
  open_plan_run: openRun,
  run_tasks: runTasks,
  delegate_plan: delegatePlan,
  store_plan_in_graph: storePlan,
  remake_plan: remakePlan,
});
