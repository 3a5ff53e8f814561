import { useQuery } from '@tanstack/react-query';
import { agentsQuery } from '../api/queries.js';
import { useRights } from '../api/use-rights.js';
import { ages } from '../ui/ages.js';
import { SelectField } from '../ui/field.js';

/** Selects an agent. One that is installed no more, but is in the address, stays a choice. */
export function AgentField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (agent: string) => void;
}) {
  const can = useRights();
  const agents = useQuery({ ...agentsQuery, enabled: can('agents:read') });
  const installed = agents.data?.items.map(({ name }) => name) ?? [];
  const names = value === '' || installed.includes(value) ? installed : [value, ...installed];
  return (
    <SelectField label="Agent" value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">every agent</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}

/** Selects for which agent, and since when. */
export function AgentAndAge({
  agent,
  age,
  onChange,
}: {
  readonly agent: string;
  readonly age: string;
  readonly onChange: (change: { readonly agent?: string; readonly age?: string }) => void;
}) {
  return (
    <form
      className="form-row learning-filters"
      role="search"
      aria-label="Filter"
      onSubmit={(event) => event.preventDefault()}
    >
      <AgentField value={agent} onChange={(value) => onChange({ agent: value })} />
      <SelectField label="In the last" value={age} onChange={({ target }) => onChange({ age: target.value })}>
        <option value="">any time</option>
        {Object.keys(ages).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </SelectField>
    </form>
  );
}
