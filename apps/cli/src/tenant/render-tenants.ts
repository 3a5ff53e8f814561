import type { Tenant } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatAge, pluralise } from '../output/quantities.js';
import { renderTable } from '../output/table.js';

export function renderTenants(
  tenants: readonly Tenant[],
  options: { readonly paint: Paint; readonly columns?: number | undefined },
): string[] {
  const { paint, columns } = options;
  if (tenants.length === 0) return [paint.dim('No tenant has running or waiting phases.')];
  return renderTable<Tenant>(
    [
      { title: 'TENANT', cell: ({ tenant }) => toPrintable(tenant) },
      { title: 'RUNNING', align: 'right', cell: ({ runningPhases }) => String(runningPhases) },
      {
        title: 'WAITING',
        align: 'right',
        cell: ({ waitingJobs }) => String(waitingJobs),
        paint: (text, { waitingJobs }) => (waitingJobs > 0 ? paint.yellow(text) : text),
      },
      {
        title: 'LIMIT',
        align: 'right',
        cell: ({ maxRunningPhases }) => (maxRunningPhases === undefined ? '-' : String(maxRunningPhases)),
      },
      {
        title: 'LONGEST WAIT',
        align: 'right',
        cell: ({ longestWaitMs }) => (longestWaitMs === undefined ? '-' : formatAge(longestWaitMs)),
      },
      {
        title: 'LIMIT SET BY',
        cell: ({ limitSetBy, limitSetAt = '-' }) =>
          limitSetBy === undefined ? '-' : toPrintable(`${limitSetBy}, ${limitSetAt}`),
      },
    ],
    tenants,
    { width: columns, title: paint.dim },
  );
}

export function renderTenant({ tenant, maxRunningPhases, runningPhases, waitingJobs }: Tenant): string {
  const limit =
    maxRunningPhases === undefined
      ? 'has no limit on running phases'
      : `may run at most ${pluralise(maxRunningPhases, 'phase')} concurrently`;
  return `${toPrintable(tenant)} ${limit}; ${runningPhases} running, ${waitingJobs} waiting.`;
}
