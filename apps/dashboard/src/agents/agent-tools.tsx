import type { AgentDetail } from '@phaseline/client';
import { Card } from '../ui/card.js';
import { KeyValues } from '../ui/key-values.js';

/** In which phases the tools of each group are offered. */
const groupTitles: Readonly<Record<string, string>> = {
  workspace: 'Every phase',
  strategic: 'Strategic phases',
  tactical: 'Tactical phases',
  domain: 'Tactical phases, for the work',
  onDemand: 'Only after a search',
};

/** The tools of an agent by phase, and those whose calls a person decides. */
export function AgentTools({ agent: { tools, approvals } }: { readonly agent: AgentDetail }) {
  return (
    <Card title="Tools">
      <KeyValues
        items={[
          ...Object.entries(tools).map(
            ([group, names]) =>
              [groupTitles[group] ?? group, names.length === 0 ? '' : <Names key={group} names={names} />] as const,
          ),
          ['A person approves', approvals.length === 0 ? 'no call' : <Names key="approvals" names={approvals} />],
        ]}
      />
    </Card>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  return (
    <span className="tool-names">
      {names.map((name) => (
        <code key={name}>{name}</code>
      ))}
    </span>
  );
}
