import type {
  RetentionRunJobRecord,
  RetentionRunRecord,
  RetentionSettingRecord,
  TableCleaningRecord,
} from '@phaseline/client';
import { toPrintable } from '../output/printable.js';
import { formatBytes, pluralise } from '../output/quantities.js';

const REASONS: Readonly<Record<string, string>> = {
  held: 'a legal hold is on it',
  forked: 'a fork still needs them',
  'recently-stored': 'they were stored in the last two hours; run again later',
  changing: 'they kept changing; run again later',
  'not-anchored':
    'no anchor covers them yet; run again later, or set PHASELINE_AUDIT_KEY_FILE if nothing makes anchors',
  'not-read': 'an open transaction holds back their references; run again later',
  'archive-unreadable': 'the storage did not return what was stored',
};

/** Renders how long a tenant keeps what its ended jobs leave behind. */
export function renderSetting({
  tenant,
  filesDays,
  vectorsDays,
  learningDays,
  coldDays,
}: Pick<RetentionSettingRecord, 'tenant' | 'filesDays' | 'vectorsDays' | 'learningDays' | 'coldDays'>): string {
  const removals = [
    ['files', filesDays],
    ['vectors', vectorsDays],
    ['learning traces', learningDays],
  ] as const;
  const removed = removals.flatMap(([what, days]) => (days === null ? [] : [{ what, days: pluralise(days, 'day') }]));
  const name = toPrintable(tenant);
  const cold =
    coldDays === null ? [] : [`events move to cold storage ${pluralise(coldDays, 'day')} after the end of a job`];
  if (removed.length === 0)
    return `${name}${cold.length === 0 ? ' keeps everything.' : `: ${cold[0]}; all else is kept`}`;
  const times = removed.map(({ what, days }, index) => `${what} ${index === 0 ? 'are removed ' : ''}${days}`);
  const parts = [
    `${times.join(', ')} after the end of a job`,
    ...(filesDays === null ? ['files are kept'] : []),
    ...cold,
  ];
  return `${name}: ${parts.join('; ')}`;
}

/** Renders when old rows of a table were removed. */
export function renderCleaning({ table, keptDays, endedAt, removed }: TableCleaningRecord): string {
  const what = endedAt === null ? 'not cleaned yet' : `${pluralise(removed, 'row')} removed on ${endedAt}`;
  return `${toPrintable(table)}: old rows are removed after ${pluralise(keptDays, 'day')}; ${what}`;
}

/** Renders what a run did with one job. */
export function renderRunJob(
  {
    jobId,
    tenant,
    kind,
    files = 0,
    bytes = 0,
    vectorFiles = 0,
    traces = 0,
    events = 0,
    archiveBytes = 0,
    neededElsewhere = 0,
    reason = '',
  }: RetentionRunJobRecord,
  { dryRun }: Pick<RetentionRunRecord, 'dryRun'>,
): string {
  const job = `${jobId} of ${toPrintable(tenant)}`;
  if (kind === 'kept') return `${job}: files kept, because ${REASONS[reason] ?? toPrintable(reason)}`;
  if (kind === 'moved')
    return `${job}: ${pluralise(events, 'event')} (${formatBytes(archiveBytes)} compressed) ${dryRun ? 'would move' : 'moved'} to cold storage`;
  if (kind === 'not-moved') return `${job}: events not moved, because ${REASONS[reason] ?? toPrintable(reason)}`;
  if (kind === 'released') {
    if (neededElsewhere === 0) return `${job}: it has no files`;
    return `${job}: ${pluralise(neededElsewhere, 'file')} kept until the last other job that needs them is removed`;
  }
  const what =
    kind === 'vectors-removed'
      ? `vectors of ${pluralise(vectorFiles, 'file')}`
      : kind === 'traces-removed'
        ? pluralise(traces, 'learning trace')
        : `${pluralise(files, 'file')} (${formatBytes(bytes)})`;
  return `${job}: ${what} ${dryRun ? 'would be removed' : 'removed'}`;
}

type Figure =
  | 'removedJobs'
  | 'files'
  | 'bytes'
  | 'vectorFiles'
  | 'learningTraces'
  | 'movedJobs'
  | 'archivedEvents'
  | 'archiveBytes'
  | 'dryRun';

/** Renders the figures of a run. */
export function renderFigures({
  removedJobs,
  files,
  bytes,
  vectorFiles,
  learningTraces,
  movedJobs,
  archivedEvents,
  archiveBytes,
  dryRun,
}: Pick<RetentionRunRecord, Figure>): string {
  const cold = `${pluralise(archivedEvents, 'event')} (${formatBytes(archiveBytes)} compressed) of ${pluralise(movedJobs, 'job')}`;
  const moved = movedJobs === 0 ? [] : [`${cold} ${dryRun ? 'would move' : 'moved'} to cold storage.`];
  if (removedJobs === 0) return moved[0] ?? 'Nothing to remove.';
  const vectors = vectorFiles > 0 ? ` and vectors of ${pluralise(vectorFiles, 'file')}` : '';
  const traces = learningTraces > 0 ? ` and ${pluralise(learningTraces, 'learning trace')}` : '';
  const what = `${pluralise(files, 'file')} (${formatBytes(bytes)})${vectors}${traces} of ${pluralise(removedJobs, 'job')}`;
  return [`${what} ${dryRun ? 'would be removed' : 'removed'}.`, ...moved].join(' ');
}

/** Renders how far a run is, or how it ended. */
export function renderRun(run: RetentionRunRecord): string {
  const { status, requestedBy, requestedAt, endedAt, failure = '' } = run;
  const who = `by ${toPrintable(requestedBy)} on ${endedAt ?? requestedAt}`;
  if (status === 'failed') return `Last run, ${who}: failed, because ${toPrintable(failure)}`;
  if (status !== 'completed') return `Run ${who}: ${status}, ${pluralise(run.jobs, 'job')} checked so far`;
  return `Last run, ${who}: ${renderFigures(run)}`;
}
