import { useId } from 'react';
import { TextField } from '../ui/field.js';
import { useTenantNames } from './use-tenant-loads.js';

/** A field for the name of a tenant, which offers those that are known. */
export function TenantField({
  value,
  error,
  help,
  allowsAll = false,
  onChange,
}: {
  readonly value: string;
  readonly error: string | undefined;
  readonly help?: string;
  /** Whether `*`, for all tenants, is offered. */
  readonly allowsAll?: boolean;
  readonly onChange: (tenant: string) => void;
}) {
  const id = useId();
  const names = useTenantNames();
  return (
    <>
      <TextField
        label="Tenant"
        {...(help === undefined ? {} : { help })}
        value={value}
        error={error}
        list={id}
        required
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {(allowsAll ? ['*', ...names] : names).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
