import type { PrincipalRecord } from '@phaseline/client';
import { useState } from 'react';
import { client } from '../api/client.js';
import { SelectField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { roleNames } from './roles.js';
import { TenantField } from './tenant-field.js';
import { useChangePrincipals } from './use-principals.js';

/** Grants a role in a tenant, or in all tenants. */
export function GrantDialog({
  principal,
  onClose,
}: {
  readonly principal: PrincipalRecord;
  readonly onClose: () => void;
}) {
  const [role, setRole] = useState<string>('viewer');
  const [tenant, setTenant] = useState('default');
  const change = useChangePrincipals();
  return (
    <FormDialog
      title={`Grant a role to ${principal.id}`}
      submitLabel="Grant"
      fields={['role', 'tenant']}
      isComplete={tenant.trim() !== ''}
      onSubmit={() => change(client.principals.grant(principal.id, { role, tenant: tenant.trim() }))}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <SelectField
            label="Role"
            value={role}
            error={errorOf('role')}
            onChange={({ target }) => setRole(target.value)}
          >
            {roleNames.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
          <TenantField
            help="Name of a tenant, or * for all. Rights that concern what tenants share are granted with * only."
            value={tenant}
            error={errorOf('tenant')}
            allowsAll
            onChange={setTenant}
          />
        </>
      )}
    </FormDialog>
  );
}
