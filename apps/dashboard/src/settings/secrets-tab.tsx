import type { Secret } from '@phaseline/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { useRights, useWhoAmI } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { Empty, Notice } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { StoreSecretDialog } from './store-secret-dialog.js';
import { TenantField } from './tenant-field.js';
import './settings.css';

/** The secrets of a tenant: their names, never their values. */
export function SecretsTab() {
  const can = useRights();
  const { data: caller } = useWhoAmI();
  const granted = caller?.rights.find(({ right }) => right === 'secrets:use')?.tenants ?? [];
  const [tenant, setTenant] = useState(granted === 'all' ? 'default' : (granted[0] ?? 'default'));
  const [isStoring, setStoring] = useState(false);
  const canManage = can('secrets:manage', tenant);
  return (
    <Card
      title="Secrets"
      actions={
        canManage ? (
          <Button variant="primary" onClick={() => setStoring(true)}>
            Store secret
          </Button>
        ) : undefined
      }
    >
      <div className="stack">
        <div className="settings-filter">
          <TenantField value={tenant} error={undefined} onChange={setTenant} />
        </div>
        {can('secrets:use', tenant) ? (
          <SecretList tenant={tenant} canManage={canManage} />
        ) : (
          <Notice>You may not list the secrets of this tenant.</Notice>
        )}
      </div>
      {isStoring ? <StoreSecretDialog tenant={tenant} onClose={() => setStoring(false)} /> : null}
    </Card>
  );
}

function SecretList({ tenant, canManage }: { readonly tenant: string; readonly canManage: boolean }) {
  const query = useQuery({
    queryKey: ['secrets', tenant],
    queryFn: ({ signal }) => client.secrets.list({ tenant }, { signal }),
    refetchInterval: 30_000,
  });
  const queries = useQueryClient();
  const [removing, setRemoving] = useState<Secret>();
  const remove = async ({ name, agent }: Secret): Promise<void> => {
    await client.secrets.remove(name, { tenant, ...(agent === undefined ? {} : { agent }) });
    await queries.invalidateQueries({ queryKey: ['secrets'] });
  };
  return (
    <QueryView query={query}>
      {(secrets) => (
        <>
          {secrets.length === 0 ? (
            <Empty>
              No secrets in {tenant}. Tools that need a password or a token name a secret, and receive its value.
            </Empty>
          ) : (
            <DataTable
              label="Secrets"
              columns={canManage ? [...columns, removeColumn(setRemoving)] : columns}
              rows={secrets}
              rowKey={({ name, agent }) => `${name} ${agent ?? ''}`}
            />
          )}
          {removing ? (
            <ConfirmDialog
              title={`Remove the secret ${removing.name}?`}
              confirmLabel="Remove"
              danger
              onConfirm={() => remove(removing)}
              onClose={() => setRemoving(undefined)}
            >
              <p>Its value cannot be restored. Calls of tools that need it fail.</p>
            </ConfirmDialog>
          ) : null}
        </>
      )}
    </QueryView>
  );
}

const columns: readonly Column<Secret>[] = [
  { key: 'name', title: 'Name', render: ({ name }) => <code className="wrap-anywhere">{name}</code> },
  { key: 'agent', title: 'For agents', render: ({ agent }) => agent ?? <span className="muted">all</span> },
  {
    key: 'hosts',
    title: 'Repositories at',
    isSecondary: true,
    render: ({ repositoryHosts }) => repositoryHosts?.join(', ') ?? <span className="muted">none</span>,
  },
  {
    key: 'stored',
    title: 'Stored',
    isSecondary: true,
    render: ({ storedAt, storedBy }) => (
      <>
        <DateTime at={storedAt} /> <span className="muted">by {storedBy}</span>
      </>
    ),
  },
];

function removeColumn(ask: (secret: Secret) => void): Column<Secret> {
  return {
    key: 'actions',
    title: <span className="visually-hidden">Actions</span>,
    render: (secret) => (
      <div className="row settings-actions">
        <Button aria-label={`Remove ${secret.name}`} onClick={() => ask(secret)}>
          Remove
        </Button>
      </div>
    ),
  };
}
