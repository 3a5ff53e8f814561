import type { Tenant } from '@phaseline/client';
import { Link } from 'wouter';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount, formatDuration } from '../ui/format.js';
import { Meter } from '../ui/meter.js';
import { QueryView } from '../ui/query-view.js';
import { useTenants } from './use-overview.js';

const columns: readonly Column<Tenant>[] = [
  {
    key: 'tenant',
    title: 'Tenant',
    render: ({ tenant }) => <Link href={`/jobs?tenant=${encodeURIComponent(tenant)}`}>{tenant}</Link>,
  },
  {
    key: 'slots',
    title: 'Slots',
    render: ({ tenant, runningPhases, maxRunningPhases }) =>
      maxRunningPhases === undefined ? (
        `${formatCount(runningPhases)}, no limit`
      ) : (
        <>
          {formatCount(runningPhases)} of {formatCount(maxRunningPhases)}
          <Meter label={`Slots of ${tenant}`} value={runningPhases} max={maxRunningPhases} />
        </>
      ),
  },
  { key: 'waiting', title: 'Jobs waiting', isNumber: true, render: (tenant) => <Waiting tenant={tenant} /> },
  {
    key: 'longest',
    title: 'Longest wait',
    isNumber: true,
    isSecondary: true,
    render: ({ longestWaitMs }) => (longestWaitMs === undefined ? '–' : formatDuration(longestWaitMs)),
  },
];

/** The number of jobs that wait for a slot, with the way to them. */
function Waiting({ tenant: { tenant, waitingJobs } }: { readonly tenant: Tenant }) {
  if (waitingJobs === 0) return '0';
  return (
    <Link href={`/jobs?tenant=${encodeURIComponent(tenant)}&waitsFor=orchestrator&sort=waiting`}>
      {formatCount(waitingJobs)}
      <span className="visually-hidden"> of {tenant}</span>
    </Link>
  );
}

/** How many phases of each tenant run, and how many of its jobs wait for a slot. */
export function TenantSlots() {
  const tenants = useTenants();
  return (
    <Card title="Tenants">
      <QueryView query={tenants}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="muted">No tenant has a job yet.</p>
          ) : (
            <DataTable label="Tenants" columns={columns} rows={rows} rowKey={({ tenant }) => tenant} />
          )
        }
      </QueryView>
    </Card>
  );
}
