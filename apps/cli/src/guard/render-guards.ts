import type { GuardRecord, GuardSummaryRecord } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';

interface RenderOptions {
  readonly paint: Paint;
  readonly columns?: number | undefined;
}

type VersionName = GuardSummaryRecord['newest'];

export function renderGuards(guards: readonly GuardSummaryRecord[], { paint, columns }: RenderOptions): string[] {
  if (guards.length === 0) return [paint.dim('There are no guards of tenants and of the installation.')];
  return renderTable<GuardSummaryRecord>(
    [
      { title: 'NAME', cell: ({ name }) => toPrintable(name) },
      { title: 'WHERE', cell: describePlace },
      { title: 'KIND', cell: ({ kind }) => kind },
      { title: 'OWNER', cell: ({ owner }) => toPrintable(owner) },
      { title: 'PRODUCTION', cell: ({ production }) => describeVersion(production) },
      { title: 'SHADOW', cell: ({ shadow }) => describeVersion(shadow) },
      { title: 'NEWEST', cell: ({ newest }) => describeVersion(newest) },
    ],
    guards,
    { width: columns, title: paint.dim },
  );
}

export function renderGuard(guard: GuardRecord, options: RenderOptions): string[] {
  const { paint } = options;
  const lines = [`${describeGuard(guard)}, ${guard.kind}, owner ${toPrintable(guard.owner)}`];
  const decisions = guard.decisions.map(
    ({ version, outcome, count }) => `  ${count} ${toPrintable(outcome)} by version ${version.slice(0, 8)}`,
  );
  const counted = decisions.length > 0 ? ['', 'Decisions:', ...decisions] : [];
  if (guard.source === 'file')
    return [...lines, `Read from a folder of the installation. Version ${describeVersion(guard.newest)}.`, ...counted];
  return [
    ...lines,
    '',
    ...renderTable<GuardRecord['versions'][number]>(
      [
        { title: 'VERSION', cell: ({ number, version }) => describeVersion({ number, version }) },
        { title: 'STAGE', cell: ({ stage }) => stage },
        { title: 'ADDED BY', cell: ({ addedBy }) => toPrintable(addedBy) },
        { title: 'ADDED AT', cell: ({ addedAt }) => addedAt },
        { title: 'OWNER', cell: ({ owner }) => toPrintable(owner) },
      ],
      guard.versions,
      { width: options.columns, title: paint.dim },
    ),
    ...(guard.changes.length > 0 ? ['', 'Changes, newest first:'] : []),
    ...guard.changes.map(
      ({ at, number, from, to, cause, actor, reason }) =>
        `  ${at}  version ${number} ${from} → ${to} (${cause.replace('_', ' ')} by ${toPrintable(actor)}): ${toPrintable(reason)}`,
    ),
    ...counted,
  ];
}

/** Names a guard with its place. */
export function describeGuard({ name, ...place }: Pick<GuardSummaryRecord, 'name' | 'scope' | 'tenant'>): string {
  return `${toPrintable(name)} of ${describePlace(place)}`;
}

function describePlace({ tenant }: Pick<GuardSummaryRecord, 'tenant'>): string {
  return tenant === undefined ? 'the installation' : `tenant ${toPrintable(tenant)}`;
}

/** Number and beginning of the hash of a version. */
function describeVersion(version: VersionName | undefined): string {
  if (!version) return '–';
  const hash = version.version.slice(0, 8);
  return version.number === undefined ? hash : `${version.number} (${hash})`;
}
