import type { HoldRecord } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';

export function renderHolds(
  holds: readonly HoldRecord[],
  { paint, columns }: { readonly paint: Paint; readonly columns?: number | undefined },
): string[] {
  if (holds.length === 0) return ['No job is on hold.'];
  return renderTable<HoldRecord>(
    [
      { title: 'JOB', cell: ({ jobId }) => jobId },
      { title: 'TENANT', cell: ({ tenant }) => toPrintable(tenant) },
      { title: 'PLACED BY', cell: ({ actor }) => toPrintable(actor) },
      { title: 'PLACED AT', cell: ({ placedAt }) => placedAt },
      {
        title: 'REASON',
        cell: ({ reason }) => (reason === undefined ? paint.dim('(encrypted)') : toPrintable(reason)),
      },
    ],
    holds,
    { width: columns, title: paint.dim },
  );
}
