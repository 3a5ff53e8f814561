import type { Tenant } from '@phaseline/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { Checkbox, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { TenantField } from './tenant-field.js';

/** Sets how many phases a tenant may run at a time. Without a tenant, it asks for its name. */
export function LimitDialog({
  tenant,
  onClose,
}: {
  readonly tenant: Tenant | undefined;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(tenant?.tenant ?? '');
  const [limit, setLimit] = useState(String(tenant?.maxRunningPhases ?? ''));
  const [isConfigured, setConfigured] = useState(false);
  const queries = useQueryClient();
  const submit = async (): Promise<void> => {
    await client.tenants.set(name.trim(), { maxRunningPhases: isConfigured ? null : Number(limit) });
    await queries.invalidateQueries({ queryKey: ['tenants'] });
  };
  return (
    <FormDialog
      title={tenant ? `Limit of ${tenant.tenant}` : 'Set the limit of a tenant'}
      submitLabel="Set limit"
      fields={['tenant', 'maxRunningPhases']}
      isComplete={name.trim() !== '' && (isConfigured || /^\d+$/.test(limit.trim()))}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          {tenant ? null : <TenantField value={name} error={errorOf('tenant')} onChange={setName} />}
          <TextField
            label="Running phases at most"
            help="0 starts no further phases. Phases that run already continue."
            value={limit}
            error={errorOf('maxRunningPhases')}
            inputMode="numeric"
            disabled={isConfigured}
            onChange={({ target }) => setLimit(target.value)}
          />
          <Checkbox
            label="Use the limit of the configuration again"
            checked={isConfigured}
            onChange={({ target }) => setConfigured(target.checked)}
          />
        </>
      )}
    </FormDialog>
  );
}
