import type { PlanProgress } from '@phaseline/client';
import type { JobState } from '@phaseline/domain';
import { type ApprovedPlan, formatInstant, listPlannedItems, type PlanRun } from '@phaseline/planning';

/** Describes how far a plan is carried out. Before its job has opened the plan, nothing but its id is known. */
export function describeRun(
  { submitted: { parameters } }: JobState,
  run: PlanRun | undefined,
  plan: ApprovedPlan | undefined,
): Omit<PlanProgress, 'runId' | 'status' | 'waitsFor'> {
  const requested = { planId: String(parameters['planId']), contentHash: String(parameters['contentHash']) };
  if (!run || !plan) return { ...requested, tasks: [], replaced: [] };
  const { planId, contentHash, clock, earlier } = run;
  return {
    ...{ planId, contentHash, goal: plan.context.goal },
    ...(clock === undefined ? {} : { clock }),
    tasks: listPlannedItems(plan).map(({ id, node, start, end, zone }) => {
      const { status = 'waiting', files = [], ...known } = run.items[id] ?? {};
      return {
        ...{ id, title: node.title, start: formatInstant(start), end: formatInstant(end), zone, status },
        ...(node.agent === undefined ? {} : { agent: node.agent }),
        ...{ ...known, files },
      };
    }),
    replaced: earlier.map(({ contentHash: hash, why }) => ({ contentHash: hash, why })),
  };
}
