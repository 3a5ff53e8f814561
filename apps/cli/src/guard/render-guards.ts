import type { GuardBacktestRecord, GuardRecord, GuardSummaryRecord } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatAge, formatCount, formatUsd, pluralise } from '../output/quantities.js';
import { renderTable } from '../output/table.js';

interface RenderOptions {
  readonly paint: Paint;
  readonly columns?: number | undefined;
}

type GuardLimits = NonNullable<GuardRecord['versions'][number]['limits']>;
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
        { title: 'DEMANDS', cell: ({ minLabelled }) => pluralise(minLabelled, 'outcome') },
        { title: 'ADDED BY', cell: ({ addedBy }) => toPrintable(addedBy) },
        { title: 'ADDED AT', cell: ({ addedAt }) => addedAt },
        { title: 'OWNER', cell: ({ owner }) => toPrintable(owner) },
      ],
      guard.versions,
      { width: options.columns, title: paint.dim },
    ),
    ...guard.versions.flatMap(({ number, limits, backtests }) => [
      ...(limits ? ['', `Limits of version ${number}: ${describeLimits(limits)}`] : []),
      ...backtests.flatMap((backtest) => ['', ...renderFigures(backtest)]),
    ]),
    ...(guard.changes.length > 0 ? ['', 'Changes, newest first:'] : []),
    ...guard.changes.map(
      ({ at, number, from, to, cause, actor, reason, basis }) =>
        `  ${at}  version ${number} ${from} → ${to} (${cause.replace('_', ' ')} by ${toPrintable(actor)}): ${toPrintable(reason)}${basis ? ` [${basis.cause}: ${toPrintable(basis.figure)}]` : ''}`,
    ),
    ...counted,
  ];
}

/** The figures of a backtest. Everything that it names of a job is an id or a name. */
export function renderFigures(backtest: GuardBacktestRecord): string[] {
  const { at, actor, number, jobs, calls, hits, possiblyWrong, labelled, moneyAtRisk, isComplete, examples, cases } =
    backtest;
  const { atLeast, atMost } = moneyAtRisk;
  return [
    `Backtest of version ${number} by ${toPrintable(actor)} at ${at}:`,
    `  ${pluralise(hits, 'hit')} in ${pluralise(calls, 'call')} of ${pluralise(jobs, 'job')}, the outcome of ${formatCount(labelled)} is known`,
    `  ${formatCount(possiblyWrong)} possibly wrong: at least ${renderAmount(atLeast)}, at most ${renderAmount(atMost)}`,
    ...(isComplete ? [] : ['  Not complete: jobs or hook points were left out']),
    ...(cases
      ? [
          `  Cases: ${formatCount(cases.passed)} pass, ${formatCount(cases.broken.length)} broken ${toPrintable(cases.broken.join(', '))}`.trimEnd(),
        ]
      : []),
    ...examples.map(
      ({ streamId, position, tool, effect, became }) =>
        `    ${streamId}@${position} ${toPrintable(tool ?? 'claim')}: ${effect}, ${became}`,
    ),
  ];
}

function renderAmount({ costMicroUsd, durationMs }: GuardBacktestRecord['moneyAtRisk']['atLeast']): string {
  return `${formatUsd(costMicroUsd)} and ${formatAge(durationMs)}`;
}

function describeLimits({ maxOverrides, maxFailedJobs, automatic }: GuardLimits): string {
  return [
    ...(maxOverrides === undefined ? [] : [pluralise(maxOverrides, 'override')]),
    ...(maxFailedJobs === undefined ? [] : [pluralise(maxFailedJobs, 'failed job')]),
    automatic ? 'rolled back automatically' : 'a person decides',
  ].join(', ');
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
