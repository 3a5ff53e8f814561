import { ToolError } from '@phaseline/contracts';
import type { planRunSpec } from '@phaseline/pack-specs';
import { hashPlan, listPlannedItems, planRunRequestSchema, type PlanRun } from '@phaseline/planning';
import type { InlineToolContext, ToolRun } from '@phaseline/tools';
import { hashText } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';
import { readApprovedPlan, RunWork } from './run-work.js';

/** Where the plan is, as the document of the job. */
const PLAN_DOCUMENT = 'documents/plan.json';

/** Begins to carry out the plan that the parameters of the job name. */
export const openRun: ToolRun<typeof planRunSpec, 'open_plan_run'> = async (context) => {
  const request = await readRequest(context);
  const plan = await readApprovedPlan(context, PLAN_DOCUMENT);
  const { planId, goalId, contentHash, people, clock } = request;
  if (hashPlan(plan, hashText) !== contentHash)
    throw new ToolError('plan_invalid', `The document plan.json does not have the schedule ${contentHash}.`);
  const run: PlanRun = {
    ...{ planId, contentHash, people, items: {}, earlier: [] },
    ...(goalId === undefined ? {} : { goalId }),
    ...(clock && { clock: { ...clock, at: context.now.toISOString() } }),
  };
  const work = RunWork.open(context, plan, run);
  const tasks = listPlannedItems(plan).length;
  work.record('PlanRunOpened', { planId, contentHash, tasks, ...(clock && { clock }) });
  return work.finish('opened');
};

async function readRequest({ workspace }: InlineToolContext) {
  const text = await readTextIfExists(workspace, 'parameters.json');
  const parsed = planRunRequestSchema.safeParse(text === undefined ? {} : JSON.parse(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ToolError(
    'request_invalid',
    `The parameters of the job do not say which plan is carried out. ${problems.join('; ')}`,
  );
}
