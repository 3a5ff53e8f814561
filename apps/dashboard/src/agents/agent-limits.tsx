import type { AgentDetail } from '@phaseline/client';
import { Card } from '../ui/card.js';
import { formatCount, formatDuration, formatUsd } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';

/** What limits a job of the agent, and what it needs. */
export function AgentLimits({ agent }: { readonly agent: AgentDetail }) {
  const { budgets, requires = {}, definition } = agent;
  const limits = (definition['limits'] ?? {}) as Readonly<Record<string, unknown>>;
  return (
    <Card title="Limits and needs">
      <KeyValues
        items={[
          ['Cost', budgets.maxCostUsd === undefined ? 'no limit' : formatUsd(budgets.maxCostUsd * 1_000_000)],
          ['Tokens', budgets.maxTokens === undefined ? 'no limit' : formatCount(budgets.maxTokens)],
          ['Phases', budgets.maxPhases === undefined ? 'no limit' : formatCount(budgets.maxPhases)],
          ['Time', budgets.maxWallTimeMs === undefined ? 'no limit' : formatDuration(budgets.maxWallTimeMs)],
          ['Model calls per phase', String(limits['steps'] ?? '')],
          ['Needs documents', requires.documents === undefined ? '' : `at least ${requires.documents}`],
          ['Needs instructions', requires.instructions === true ? 'yes' : ''],
          ['Needs parameters', (requires.parameters ?? []).join(', ')],
        ]}
      />
    </Card>
  );
}
