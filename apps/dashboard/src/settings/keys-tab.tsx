import type { KeyRecord } from '@phaseline/client';
import { useState } from 'react';
import { client } from '../api/client.js';
import { useRights } from '../api/use-rights.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { CreateKey } from './create-key.js';
import { formatTenants } from './tenant-text.js';
import { useChangePrincipals, useKeys } from './use-principals.js';
import './settings.css';

/** The keys of principals, by their prefixes. */
export function KeysTab() {
  const query = useKeys();
  const canManage = useRights()('keys:manage');
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<KeyRecord>();
  const change = useChangePrincipals();
  return (
    <Card
      title="Keys"
      actions={
        canManage ? (
          <Button variant="primary" onClick={() => setCreating(true)}>
            Create key
          </Button>
        ) : undefined
      }
    >
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty>No keys. A key lets a person or a service use the API from a program or the command line.</Empty>
          ) : (
            <DataTable
              label="Keys"
              columns={canManage ? [...columns, revokeColumn(setRevoking)] : columns}
              rows={keys}
              rowKey={({ prefix }) => prefix}
            />
          )
        }
      </QueryView>
      {isCreating ? <CreateKey onClose={() => setCreating(false)} /> : null}
      {revoking ? (
        <ConfirmDialog
          title={`Revoke the key ${revoking.prefix} of ${revoking.principal}?`}
          confirmLabel="Revoke"
          danger
          reasonLabel="Reason"
          reasonRequired
          onConfirm={(reason) => change(client.keys.revoke(revoking.prefix, { reason }))}
          onClose={() => setRevoking(undefined)}
        >
          <p>
            Every process refuses it within two seconds, and the sessions of {revoking.principal} end. A revoked key
            cannot be used again.
          </p>
        </ConfirmDialog>
      ) : null}
    </Card>
  );
}

const columns: readonly Column<KeyRecord>[] = [
  { key: 'prefix', title: 'Prefix', render: ({ prefix }) => <code>{prefix}</code> },
  {
    key: 'principal',
    title: 'Principal',
    render: ({ principal }) => <span className="wrap-anywhere">{principal}</span>,
  },
  {
    key: 'label',
    title: 'For',
    isSecondary: true,
    render: ({ label }) => (label === '' ? <span className="muted">not said</span> : label),
  },
  { key: 'status', title: 'State', render: ({ status }) => <KeyState status={status} /> },
  {
    key: 'limits',
    title: 'Limited to',
    isSecondary: true,
    render: (key) => <span className="wrap-anywhere">{describeLimits(key)}</span>,
  },
  {
    key: 'expires',
    title: 'Expires',
    isSecondary: true,
    render: ({ expiresAt }) =>
      expiresAt === undefined ? <span className="muted">never</span> : <DateTime at={expiresAt} />,
  },
  {
    key: 'created',
    title: 'Created',
    isSecondary: true,
    render: ({ createdAt, createdBy }) => (
      <>
        <DateTime at={createdAt} /> <span className="muted">by {createdBy}</span>
      </>
    ),
  },
];

function describeLimits({ rights, tenants }: KeyRecord): string {
  const parts = [rights?.join(', '), tenants === undefined ? undefined : formatTenants(tenants)];
  const limits = parts.filter((part) => part !== undefined).join(' · ');
  return limits === '' ? 'nothing: all rights of its principal' : limits;
}

function revokeColumn(ask: (key: KeyRecord) => void): Column<KeyRecord> {
  return {
    key: 'actions',
    title: <span className="visually-hidden">Actions</span>,
    render: (key) =>
      key.status === 'active' ? (
        <div className="row settings-actions">
          <Button aria-label={`Revoke ${key.prefix}`} onClick={() => ask(key)}>
            Revoke
          </Button>
        </div>
      ) : null,
  };
}

const looks = { active: ['ok', '✓'], expired: ['neutral', '–'], revoked: ['warn', '✕'] } as const;

function KeyState({ status }: Pick<KeyRecord, 'status'>) {
  const [tone, glyph] = looks[status];
  return (
    <Badge tone={tone} glyph={glyph}>
      {status}
    </Badge>
  );
}
