import type { AgentDefinition } from '../agent/agent-definition.js';
import type { TurnLimits } from './turn.js';

type Limits = Pick<AgentDefinition, 'turns' | 'dailyBudget'>;

/** What the submission of a job says about turns and about a day. */
interface SubmittedLimits {
  readonly turns?: TurnLimits | undefined;
  readonly dailyBudget?: { readonly costUsd: number } | undefined;
}

/** Returns the limits of a job: of the agent and the submission, the lower ones. Without a zone of the agent, a day is one in UTC. */
export function narrowLimits({ turns, dailyBudget }: Limits, submitted: SubmittedLimits): Limits {
  const narrowed = turns && submitted.turns ? narrowTurns(turns, submitted.turns) : (turns ?? submitted.turns);
  const costUsd = findLower(dailyBudget?.costUsd, submitted.dailyBudget?.costUsd);
  return {
    ...(narrowed && { turns: narrowed }),
    ...(costUsd !== undefined && { dailyBudget: { zone: dailyBudget?.zone ?? 'UTC', costUsd } }),
  };
}

function narrowTurns(one: TurnLimits, other: TurnLimits): TurnLimits {
  const max = findLower(one.max, other.max);
  const workMs = findLower(one.workMs, other.workMs);
  const softCostUsd = findLower(one.softCostUsd, other.softCostUsd);
  return {
    ...(max !== undefined && { max }),
    ...(workMs !== undefined && { workMs }),
    ...(softCostUsd !== undefined && { softCostUsd }),
  };
}

function findLower(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
