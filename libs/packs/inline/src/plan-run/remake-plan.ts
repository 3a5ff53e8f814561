import { getDayInZone } from '@phaseline/basics';
import { DELEGATE, DELEGATED_DIRECTORY, listNestedCalls } from '@phaseline/domain';
import type { planRunSpec } from '@phaseline/pack-specs';
import { boundText, hashPlan, replaceSchedule } from '@phaseline/planning';
import type { ToolRun } from '@phaseline/tools';
import { hashText } from '@phaseline/workspace';
import { toJson } from '../planning/plan-work.js';
import { readApprovedPlan, RunWork } from './run-work.js';

const PLANNER = 'planner';
/** The planner asks its person, who may need days. */
const PLANNER_TIMEOUT = '30d';

/** Has the planner make the plan again. If no new one is approved, the old one continues. */
export const remakePlan: ToolRun<typeof planRunSpec, 'remake_plan'> = async (context) => {
  const work = await RunWork.read(context);
  const { replan: why = 'The person wants another plan.' } = work.run;
  const [call] = listNestedCalls(context.state, context.callId);
  if (!call) return { content: '', nestedCalls: [{ name: DELEGATE, arguments: describeWish(work, why) }] };
  const { replan: _why, ...run } = work.run;
  if (call.status !== 'completed') {
    work.run = { ...run, remark: boundText(`The plan was not made again. ${call.result ?? ''}`) };
    return work.finish('remade');
  }
  const plan = await readApprovedPlan(context, `${DELEGATED_DIRECTORY}/${call.callId}/plan.json`);
  const to = hashPlan(plan, hashText);
  work.record('PlanReplaced', { from: run.contentHash, to, why });
  work.run = replaceSchedule(work.run, to, why);
  work.storePlan(plan);
  return work.finish('remade');
};

/** The goal with what has changed and what is done; the new plan begins on the day that the clock of the schedule shows. */
function describeWish({ plan, run, now }: RunWork, why: string) {
  const { goal, user, zone, calendar, capacity, strategy, dates } = plan.context;
  const titles = new Map(plan.outline.nodes.map(({ id, title }) => [id, title]));
  const done = Object.entries(run.items).flatMap(([id, { status }]) =>
    status === 'done' ? [titles.get(id.split('#')[0]!) ?? id] : [],
  );
  const start = getDayInZone(new Date(now), zone);
  const told = [
    goal,
    `Changed: ${why}`,
    ...(done.length > 0 ? [`Already done: ${[...new Set(done)].join('; ')}`] : []),
  ];
  const end = dates.end !== undefined && dates.end > start ? { end: dates.end } : {};
  // It is about the same goal, so that it replaces the plan that is carried out.
  const { planId, goalId = planId } = run;
  const goalText = told.join('\n').slice(0, 4_000);
  const parameters = { goal: goalText, goalId, user, zone, calendar, capacity, strategy, start, ...end };
  return toJson({ agent: PLANNER, task: 'Make the plan again.', parameters, timeout: PLANNER_TIMEOUT });
}
