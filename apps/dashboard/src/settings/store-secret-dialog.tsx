import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { splitNames } from './tenant-text.js';

/** Stores a secret, or replaces its value. The value leaves the page with the request and is never shown again. */
export function StoreSecretDialog({ tenant, onClose }: { readonly tenant: string; readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [agent, setAgent] = useState('');
  const [hosts, setHosts] = useState('');
  const queries = useQueryClient();
  const submit = async (): Promise<void> => {
    await client.secrets.store(name.trim(), {
      value,
      tenant,
      ...(agent.trim() === '' ? {} : { agent: agent.trim() }),
      ...(splitNames(hosts).length === 0 ? {} : { repositoryHosts: splitNames(hosts) }),
    });
    await queries.invalidateQueries({ queryKey: ['secrets'] });
  };
  return (
    <FormDialog
      title={`Store a secret in ${tenant}`}
      submitLabel="Store"
      fields={['name', 'value', 'agent', 'repositoryHosts']}
      isComplete={name.trim() !== '' && value !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Name"
            help="A secret with this name gets the new value."
            value={name}
            error={errorOf('name')}
            autoFocus
            required
            onChange={({ target }) => setName(target.value)}
          />
          <TextField
            label="Value"
            help="Stored encrypted. Nobody can read it here again."
            type="password"
            autoComplete="new-password"
            value={value}
            error={errorOf('value')}
            required
            onChange={({ target }) => setValue(target.value)}
          />
          <TextField
            label="Only for the agent"
            help="Empty: every agent of the tenant may use it."
            value={agent}
            error={errorOf('agent')}
            onChange={({ target }) => setAgent(target.value)}
          />
          <TextField
            label="Hosts of repositories"
            help="Where repositories may send it, such as git.example.org. Empty: no repository may use it."
            value={hosts}
            error={errorOf('repositoryHosts')}
            onChange={({ target }) => setHosts(target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
