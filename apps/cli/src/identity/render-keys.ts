import type { KeyRecord } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';

export function renderKeys(
  keys: readonly KeyRecord[],
  { paint, columns }: { readonly paint: Paint; readonly columns?: number | undefined },
): string[] {
  if (keys.length === 0) return [paint.dim('There is no such key. Create one with: phaseline keys create PRINCIPAL')];
  return renderTable<KeyRecord>(
    [
      { title: 'PREFIX', cell: ({ prefix }) => prefix },
      { title: 'PRINCIPAL', cell: ({ principal }) => toPrintable(principal) },
      {
        title: 'STATUS',
        cell: ({ status }) => status,
        paint: (text, { status }) => (status === 'active' ? paint.green(text) : paint.dim(text)),
      },
      { title: 'EXPIRES', cell: ({ expiresAt = '-' }) => expiresAt },
      { title: 'RIGHTS', cell: ({ rights, tenants }) => describeLimits(rights, tenants) },
      { title: 'CREATED BY', cell: ({ createdBy }) => toPrintable(createdBy) },
      { title: 'LABEL', cell: ({ label }) => toPrintable(label) },
    ],
    keys,
    { width: columns, title: paint.dim },
  );
}

function describeLimits(rights: readonly string[] | undefined, tenants: readonly string[] | undefined): string {
  const where = tenants === undefined ? '' : ` in ${tenants.join(', ')}`;
  return toPrintable(`${rights?.join(', ') ?? 'all of its principal'}${where}`);
}
