import { useQuery } from '@tanstack/react-query';
import { agentsQuery } from '../api/queries.js';
import { useRights } from '../api/use-rights.js';
import { useTenants } from '../api/use-tenants.js';
import { describeKind } from './inbox-entry.js';
import type { InboxFilter } from './use-inbox.js';

const kinds = ['approval', 'question', 'blocked-todo', 'blocked-job'] as const;

/** Selects a part of the inbox. The filter is part of the address, so that it can be shared. */
export function InboxFilters({
  filter,
  onChange,
}: {
  readonly filter: InboxFilter;
  readonly onChange: (search: Record<string, string>) => void;
}) {
  const can = useRights();
  const { names: tenants } = useTenants('inbox:read');
  const agents = useQuery({ ...agentsQuery, enabled: can('agents:read') });
  const set = (name: keyof InboxFilter, value: string): void => {
    const { [name]: _, ...others } = filter;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  const agentNames = agents.data?.items.map(({ name }) => name) ?? [];
  return (
    <>
      <Choice label="Kind" all="All kinds" value={filter.kind} onChange={(value) => set('kind', value)}>
        {kinds.map((kind) => [kind, describeKind(kind).name])}
      </Choice>
      <Choice label="Agent" all="All agents" value={filter.agent} onChange={(value) => set('agent', value)}>
        {agentNames.map((name) => [name, name])}
      </Choice>
      {filter.jobId === undefined ? null : (
        <Choice label="Job" all="All jobs" value={filter.jobId} onChange={(value) => set('jobId', value)}>
          {[[filter.jobId, `job ${filter.jobId.slice(0, 8)}`]]}
        </Choice>
      )}
      {tenants.length > 1 || filter.tenant !== undefined ? (
        <Choice label="Tenant" all="All tenants" value={filter.tenant} onChange={(value) => set('tenant', value)}>
          {tenants.map((name) => [name, name])}
        </Choice>
      ) : null}
    </>
  );
}

function Choice({
  label,
  all,
  value,
  onChange,
  children,
}: {
  readonly label: string;
  readonly all: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
  readonly children: readonly (readonly [value: string, text: string])[];
}) {
  // A value of the address that is no choice here, such as an agent that was removed, stays visible.
  const choices =
    value === undefined || children.some(([one]) => one === value) ? children : [[value, value] as const, ...children];
  return (
    <select
      aria-label={label}
      className="input choice"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{all}</option>
      {choices.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}
