import type { Tenant } from '@phaseline/client';
import { useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount, formatDuration } from '../ui/format.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { LimitDialog } from './limit-dialog.js';
import { useTenantLoads } from './use-tenant-loads.js';
import './settings.css';

/** The load of tenants, and how many phases each may run at a time. */
export function TenantsTab() {
  const query = useTenantLoads();
  const canWrite = useRights()('tenants:write');
  const [asked, setAsked] = useState<Tenant | 'new'>();
  return (
    <Card title="Tenants" actions={canWrite ? <Button onClick={() => setAsked('new')}>Set a limit</Button> : undefined}>
      <QueryView query={query}>
        {(tenants) =>
          tenants.length === 0 ? (
            <Empty>No tenant has running or waiting phases, or a limit of its own.</Empty>
          ) : (
            <DataTable
              label="Tenants"
              columns={canWrite ? [...columns, limitColumn(setAsked)] : columns}
              rows={tenants}
              rowKey={({ tenant }) => tenant}
            />
          )
        }
      </QueryView>
      {asked === undefined ? null : (
        <LimitDialog tenant={asked === 'new' ? undefined : asked} onClose={() => setAsked(undefined)} />
      )}
    </Card>
  );
}

const columns: readonly Column<Tenant>[] = [
  { key: 'tenant', title: 'Tenant', render: ({ tenant }) => <span className="wrap-anywhere">{tenant}</span> },
  { key: 'slots', title: 'Slots used', isNumber: true, render: (tenant) => <Slots tenant={tenant} /> },
  {
    key: 'waiting',
    title: 'Jobs waiting',
    isNumber: true,
    render: ({ waitingJobs }) => formatCount(waitingJobs),
  },
  {
    key: 'wait',
    title: 'Longest wait',
    isNumber: true,
    isSecondary: true,
    render: ({ longestWaitMs }) => (longestWaitMs === undefined ? '–' : formatDuration(longestWaitMs)),
  },
  {
    key: 'set',
    title: 'Limit set by',
    isSecondary: true,
    render: ({ limitSetBy, limitSetAt }) =>
      limitSetBy === undefined || limitSetAt === undefined ? (
        <span className="muted">configuration</span>
      ) : (
        <>
          {limitSetBy}, <DateTime at={limitSetAt} />
        </>
      ),
  },
];

/** Running phases of the maximum, as numbers and as a bar. */
function Slots({ tenant: { tenant, runningPhases, maxRunningPhases } }: { readonly tenant: Tenant }) {
  if (maxRunningPhases === undefined) return <>{formatCount(runningPhases)}, no limit</>;
  return (
    <>
      {formatCount(runningPhases)} of {formatCount(maxRunningPhases)}{' '}
      <meter
        className="settings-bar"
        aria-label={`Slots used by ${tenant}`}
        value={runningPhases}
        max={Math.max(1, maxRunningPhases)}
      />
    </>
  );
}

function limitColumn(ask: (tenant: Tenant) => void): Column<Tenant> {
  return {
    key: 'actions',
    title: <span className="visually-hidden">Actions</span>,
    render: (tenant) => (
      <div className="row settings-actions">
        <Button aria-label={`Change limit of ${tenant.tenant}`} onClick={() => ask(tenant)}>
          Change limit
        </Button>
      </div>
    ),
  };
}
