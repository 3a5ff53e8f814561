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
      { title: 'ACTIVE', align: 'right', cell: ({ active }) => String(active) },
      {
        title: 'WAITING',
        align: 'right',
        cell: ({ waiting }) => String(waiting),
        paint: (text, { waiting }) => (waiting > 0 ? paint.yellow(text) : text),
      },
      { title: 'LIMIT', align: 'right', cell: ({ maxPhases }) => (maxPhases === undefined ? '-' : String(maxPhases)) },
      {
        title: 'LONGEST WAIT',
        align: 'right',
        cell: ({ longestWaitMs }) => (longestWaitMs === undefined ? '-' : formatAge(longestWaitMs)),
      },
      {
        title: 'LIMIT SET BY',
        cell: ({ setBy }) => (setBy === undefined ? '-' : toPrintable(`${setBy.actor}, ${setBy.at}`)),
      },
    ],
    tenants,
    { width: columns, title: paint.dim },
  );
}

export function renderTenant({ tenant, maxPhases, active, waiting }: Tenant): string {
  const limit =
    maxPhases === undefined
      ? 'has no limit on running phases'
      : `may run at most ${pluralise(maxPhases, 'phase')} at once`;
  return `${toPrintable(tenant)} ${limit}; ${active} running, ${waiting} waiting.`;
}
