import type { AgentDefinitionInput } from '@phaseline/domain';
import type { Roll } from '@phaseline/harness';

/** What the agent of a job may spend: in a turn, and for one person in a day. */
export type Caps = Pick<AgentDefinitionInput, 'turns' | 'dailyBudget'>;

/**
 * Draws the caps of the jobs of these tenants; `share` of the runs have some. All jobs of a tenant are submitted by one person, so that they share the budget of the day, and with two of them
 * they race for it.
 */
export function drawCaps(roll: Roll, tenants: readonly string[], share: number): readonly Caps[] {
  if (!roll.happens(share)) return tenants.map(() => ({}));
  const budgets = new Map(
    [...new Set(tenants)].map((tenant) => [tenant, roll.pick([undefined, 0.02, 0.05, 0.1, 0.2])]),
  );
  return tenants.map((tenant): Caps => {
    const costUsd = budgets.get(tenant);
    const turns = {
      ...(roll.happens(0.4) ? { max: roll.between(1, 3) } : {}),
      ...(roll.happens(0.4) ? { workMs: roll.pick([3_000, 10_000, 30_000]) } : {}),
      ...(roll.happens(0.2) ? { softCostUsd: roll.pick([0.01, 0.05]) } : {}),
    };
    return {
      ...(Object.keys(turns).length > 0 ? { turns } : {}),
      ...(costUsd === undefined ? {} : { dailyBudget: { costUsd } }),
    };
  });
}
