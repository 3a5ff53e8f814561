import type { CreatePrincipalRequest } from '@phaseline/client';
import { useState } from 'react';
import { client } from '../api/client.js';
import { SelectField, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { useChangePrincipals } from './use-principals.js';

/** Creates a person or a service, without roles. */
export function CreatePrincipalDialog({ onClose }: { readonly onClose: () => void }) {
  const [id, setId] = useState('');
  const [kind, setKind] = useState<CreatePrincipalRequest['kind']>('person');
  const change = useChangePrincipals();
  return (
    <FormDialog
      title="Create a principal"
      submitLabel="Create"
      fields={['id', 'kind']}
      isComplete={id.trim() !== ''}
      onSubmit={() => change(client.principals.create({ id: id.trim(), kind }))}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Name"
            help="Letters, digits and . _ @ + -. It is recorded with everything that the principal does, and cannot be changed."
            value={id}
            error={errorOf('id')}
            autoFocus
            required
            onChange={({ target }) => setId(target.value)}
          />
          <SelectField
            label="Kind"
            help="It has no role at first, so it may do nothing."
            value={kind}
            error={errorOf('kind')}
            onChange={({ target }) => setKind(target.value as CreatePrincipalRequest['kind'])}
          >
            <option value="person">person</option>
            <option value="service">service</option>
          </SelectField>
        </>
      )}
    </FormDialog>
  );
}
