import type { CreatedKeyResponse } from '@phaseline/client';
import { useId, useState } from 'react';
import { client } from '../api/client.js';
import { TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { splitNames } from './tenant-text.js';
import { useChangePrincipals, usePrincipals } from './use-principals.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Asks for whom and for what a key is. */
export function CreateKeyDialog({
  onCreated,
  onClose,
}: {
  readonly onCreated: (created: CreatedKeyResponse) => void;
  readonly onClose: () => void;
}) {
  const [principal, setPrincipal] = useState('');
  const [label, setLabel] = useState('');
  const [days, setDays] = useState('90');
  const [rights, setRights] = useState('');
  const [tenants, setTenants] = useState('');
  const { data: principals = [] } = usePrincipals();
  const change = useChangePrincipals();
  const id = useId();
  const create = () =>
    client.keys.create({
      principal: principal.trim(),
      label: label.trim(),
      expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      ...(splitNames(rights).length === 0 ? {} : { rights: splitNames(rights) }),
      ...(splitNames(tenants).length === 0 ? {} : { tenants: splitNames(tenants) }),
    });
  // The dialog is replaced by the one that shows the key, so closing it after success would close that one.
  const submit = async (): Promise<void> => onCreated(await change(create()));
  return (
    <FormDialog
      title="Create a key"
      submitLabel="Create key"
      fields={['principal', 'label', 'expiresAt', 'rights', 'tenants']}
      isComplete={principal.trim() !== '' && Number(days) > 0}
      onSubmit={submit}
      onClose={onClose}
      closesOnSuccess={false}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Principal"
            help="The person or service that the key belongs to."
            value={principal}
            error={errorOf('principal')}
            list={id}
            autoFocus
            required
            onChange={({ target }) => setPrincipal(target.value)}
          />
          <datalist id={id}>
            {principals.map((one) => (
              <option key={one.id} value={one.id} />
            ))}
          </datalist>
          <TextField
            label="What it is for"
            value={label}
            error={errorOf('label')}
            onChange={({ target }) => setLabel(target.value)}
          />
          <TextField
            label="Valid for (days)"
            help="At most 2 years."
            value={days}
            error={errorOf('expiresAt')}
            inputMode="numeric"
            required
            onChange={({ target }) => setDays(target.value)}
          />
          <TextField
            label="Only these rights"
            help="Such as jobs:read, jobs:submit. Empty: all rights of the principal."
            value={rights}
            error={errorOf('rights')}
            onChange={({ target }) => setRights(target.value)}
          />
          <TextField
            label="Only these tenants"
            help="Empty: all tenants of the principal."
            value={tenants}
            error={errorOf('tenants')}
            onChange={({ target }) => setTenants(target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
