import type { Secret } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';

export function renderSecrets(
  secrets: readonly Secret[],
  { paint, columns }: { readonly paint: Paint; readonly columns?: number | undefined },
): string[] {
  if (secrets.length === 0) return [paint.dim('No secrets are stored for this tenant.')];
  return renderTable<Secret>(
    [
      { title: 'NAME', cell: ({ name }) => toPrintable(name) },
      { title: 'AGENT', cell: ({ agent }) => (agent === undefined ? 'every agent' : toPrintable(agent)) },
      {
        title: 'REPOSITORIES ON',
        cell: ({ repositoryHosts }) => toPrintable((repositoryHosts ?? []).join(', ') || '–'),
      },
      { title: 'STORED BY', cell: ({ storedBy }) => toPrintable(storedBy) },
      { title: 'STORED AT', cell: ({ storedAt }) => storedAt },
    ],
    secrets,
    { width: columns, title: paint.dim },
  );
}

/** Describes where repositories may send a secret; empty if no repository may use it. */
export function describeHosts({ repositoryHosts = [] }: Pick<Secret, 'repositoryHosts'>): string {
  return repositoryHosts.length === 0 ? '' : toPrintable(`, and for repositories on ${repositoryHosts.join(', ')}`);
}

export function describeSecret({ name, tenant, agent }: Pick<Secret, 'name' | 'tenant' | 'agent'>): string {
  return toPrintable(`${name} of tenant ${tenant}, for ${agent === undefined ? 'every agent' : `the agent ${agent}`}`);
}
