import { Link } from 'wouter';
import { useTenants } from '../api/use-tenants.js';
import { Card } from '../ui/card.js';
import { SelectField, TextField } from '../ui/field.js';
import { formatCount, formatDuration, pluralise } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import type { Agent, FieldErrors, SubmitDraft } from './submit-draft.js';

export interface FieldsProps {
  readonly draft: SubmitDraft;
  readonly change: (next: Partial<SubmitDraft>) => void;
  readonly errors: FieldErrors;
}

/** Chooses the agent, and the tenant where the caller has a choice. */
export function AgentChoice({ agents, draft, change, errors }: FieldsProps & { readonly agents: readonly Agent[] }) {
  const known = agents.some(({ name }) => name === draft.agent);
  return (
    <div className="form-row">
      <SelectField
        label="Agent"
        value={known ? draft.agent : ''}
        error={errors['agent']}
        onChange={({ target }) => change({ agent: target.value })}
      >
        <option value="">Choose an agent</option>
        {agents.map(({ name, displayName }) => (
          <option key={name} value={name}>
            {displayName === name ? name : `${displayName} (${name})`}
          </option>
        ))}
      </SelectField>
      <TenantField {...{ draft, change, errors }} />
    </div>
  );
}

function TenantField({ draft, change, errors }: FieldsProps) {
  const { names, isOpen } = useTenants('jobs:submit');
  const error = errors['tenant'];
  if (!isOpen && names.length > 1)
    return (
      <SelectField
        label="Tenant"
        value={draft.tenant}
        error={error}
        onChange={({ target }) => change({ tenant: target.value })}
      >
        <option value="">default</option>
        {names.map((name) => (name === 'default' ? null : <option key={name}>{name}</option>))}
      </SelectField>
    );
  if (!isOpen) return <TextField label="Tenant" value={names[0] ?? ''} error={error} readOnly />;
  return (
    <>
      <TextField
        label="Tenant"
        placeholder="default"
        list="submit-tenants"
        value={draft.tenant}
        error={error}
        onChange={({ target }) => change({ tenant: target.value })}
      />
      <datalist id="submit-tenants">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** What the chosen agent does, and what it needs for it. */
export function AgentNeeds({ agent }: { readonly agent: Agent }) {
  const { requires = {}, budgets } = agent;
  const needs = [
    ...(requires.documents === undefined ? [] : [`at least ${pluralise(requires.documents, 'document')}`]),
    ...(requires.instructions === true ? ['instructions'] : []),
    ...(requires.parameters ?? []).map((name) => `the parameter ${name}`),
  ];
  return (
    <Card title={agent.displayName}>
      <div className="stack-small">
        {agent.description === '' ? null : <p className="wrap-anywhere">{agent.description}</p>}
        <KeyValues
          items={[
            ['Needs', needs.length === 0 ? 'nothing' : needs.join(', ')],
            ['Delivers', agent.deliverables.join(', ')],
            ['Workflow', agent.workflow],
            ['Cost limit', budgets.maxCostUsd === undefined ? 'none' : `$ ${budgets.maxCostUsd}`],
            ['Token limit', budgets.maxTokens === undefined ? undefined : formatCount(budgets.maxTokens)],
            ['Time limit', budgets.maxWallTimeMs === undefined ? undefined : formatDuration(budgets.maxWallTimeMs)],
          ]}
        />
        <Link href={`/agents/${agent.name}`}>Definition of the agent</Link>
      </div>
    </Card>
  );
}
