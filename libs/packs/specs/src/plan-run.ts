import type { JsonObject } from '@phaseline/basics';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** What a controller decides: the outcome of the phase. The compiler does not see that such an object is JSON. */
const decision = z.object({ outcome: z.string() }) as unknown as z.ZodType<JsonObject>;

const traits = ['system', 'not_nestable'] as const;
const controller = { lane: 'inline', traits, input: z.object({}), result: decision } as const;

/** Controllers of workflows that make, carry out and hand over plans as other jobs do their work. */
export const planRunSpec = declarePack('plan-run', {
  open_plan_run: {
    ...controller,
    description: 'Checks the approved plan of the job and begins to carry it out.',
  },
  run_tasks: {
    ...controller,
    description:
      'Begins the tasks that are due, has agents do theirs, and waits for the time of the next one or for what the person says.',
  },
  delegate_plan: {
    ...controller,
    description: 'Has the planner make a plan for the goal of the job.',
  },
  store_plan_in_graph: {
    ...controller,
    description: 'Stores the plan in the graph: goal, milestones, tasks and dependencies.',
  },
  remake_plan: {
    ...controller,
    description:
      'Has the planner make the plan again, because the person said what changed, and continues with the new one.',
  },
});
