import type { PlanLimits, ProblemError } from '@phaseline/client';
import type { PlanningSettings } from '@phaseline/contracts';
import { narrowLimits, type AgentDefinition, type JobState } from '@phaseline/domain';
import type { JobRequest } from '@phaseline/orchestration';

type AgentLimits = Pick<AgentDefinition, 'turns' | 'dailyBudget' | 'budgets'>;

/** Returns the limits of an agent by the names that plans have for them. */
function describeLimits(
  { turns, dailyBudget, budgets }: AgentLimits,
  { RETRY_LIMIT_PER_STAGE }: Pick<PlanningSettings, 'RETRY_LIMIT_PER_STAGE'>,
): PlanLimits {
  const limits: { readonly [Name in keyof PlanLimits]: number | undefined } = {
    turnLimit: turns?.max,
    retryLimitPerStage: RETRY_LIMIT_PER_STAGE,
    wallTimeSec: turns?.workMs === undefined ? undefined : turns.workMs / 1_000,
    budgetPerSessionUsd: budgets.maxCostUsd,
    softBudgetPerTurnUsd: turns?.softCostUsd,
    dailyBudgetUsd: dailyBudget?.costUsd,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** Returns the limits of a planning job that are in force. */
export function findLimits({ definition, submitted, budgets }: JobState, settings: PlanningSettings): PlanLimits {
  return describeLimits({ ...narrowLimits(definition.agent, submitted), budgets }, settings);
}

/** Lists the limits of a request that are higher than those of the agent. */
export function findRaisedLimits(
  limits: PlanLimits,
  agent: AgentLimits,
  settings: PlanningSettings,
): readonly ProblemError[] {
  const ceilings = describeLimits(agent, settings);
  return (Object.keys(limits) as (keyof PlanLimits)[]).flatMap((name) => {
    const ceiling = ceilings[name];
    if (ceiling === undefined || limits[name] === undefined || limits[name] <= ceiling) return [];
    return [
      { path: `limits.${String(name)}`, message: `expected at most ${ceiling}, which is the limit of the planner` },
    ];
  });
}

/** Returns the part of the request for a job that limits it. */
export function toJobLimits(limits: PlanLimits): Pick<JobRequest, 'turns' | 'dailyBudget' | 'budgets'> {
  const { turnLimit, wallTimeSec, softBudgetPerTurnUsd, budgetPerSessionUsd, dailyBudgetUsd } = limits;
  const turns = {
    ...(turnLimit !== undefined && { max: turnLimit }),
    ...(wallTimeSec !== undefined && { workMs: Math.round(wallTimeSec * 1_000) }),
    ...(softBudgetPerTurnUsd !== undefined && { softCostUsd: softBudgetPerTurnUsd }),
  };
  return {
    ...(Object.keys(turns).length > 0 && { turns }),
    ...(budgetPerSessionUsd !== undefined && { budgets: { maxCostUsd: budgetPerSessionUsd } }),
    ...(dailyBudgetUsd !== undefined && { dailyBudget: { costUsd: dailyBudgetUsd } }),
  };
}
