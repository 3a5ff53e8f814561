import { SelectField } from '../ui/field.js';
import type { TenantChoice } from './use-tenant-choice.js';

/** Chooses the tenant, where there is a choice. */
export function TenantSelect({
  choice: { tenant, names, choose },
  error,
}: {
  readonly choice: TenantChoice;
  readonly error?: string | undefined;
}) {
  if (names.length < 2) return null;
  return (
    <SelectField label="Tenant" value={tenant} error={error} onChange={({ target }) => choose(target.value)}>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}
