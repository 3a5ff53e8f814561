import type { RetentionRunJobRecord, RetentionRunRecord, RetentionSettingRecord } from '@phaseline/client';
import { toPrintable } from '../output/printable.js';
import { formatBytes, pluralise } from '../output/quantities.js';

const REASONS: Readonly<Record<string, string>> = {
  held: 'a legal hold is on it',
  forked: 'a fork still needs them',
  'recently-stored': 'they were stored in the last two hours; run again later',
  changing: 'they kept changing; run again later',
};

/** Renders how long a tenant keeps what its ended jobs leave behind. */
export function renderSetting({
  tenant,
  filesDays,
  vectorsDays,
}: Pick<RetentionSettingRecord, 'tenant' | 'filesDays' | 'vectorsDays'>): string {
  const name = toPrintable(tenant);
  const vectors = vectorsDays === null ? '' : `; vectors are removed ${pluralise(vectorsDays, 'day')} after it`;
  if (filesDays !== null)
    return `${name}: files are removed ${pluralise(filesDays, 'day')} after the end of a job${vectors}`;
  if (vectorsDays === null) return `${name} keeps its files.`;
  return `${name}: vectors are removed ${pluralise(vectorsDays, 'day')} after the end of a job; files are kept`;
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
    neededElsewhere = 0,
    reason = '',
  }: RetentionRunJobRecord,
  { dryRun }: Pick<RetentionRunRecord, 'dryRun'>,
): string {
  const job = `${jobId} of ${toPrintable(tenant)}`;
  if (kind === 'kept') return `${job}: files kept, because ${REASONS[reason] ?? toPrintable(reason)}`;
  if (kind === 'released') {
    if (neededElsewhere === 0) return `${job}: it has no files`;
    return `${job}: ${pluralise(neededElsewhere, 'file')} kept until the last other job that needs them is removed`;
  }
  const what =
    kind === 'vectors-removed'
      ? `vectors of ${pluralise(vectorFiles, 'file')}`
      : `${pluralise(files, 'file')} (${formatBytes(bytes)})`;
  return `${job}: ${what} ${dryRun ? 'would be removed' : 'removed'}`;
}

/** Renders the figures of a run. */
export function renderFigures({
  removedJobs,
  files,
  bytes,
  vectorFiles,
  dryRun,
}: Pick<RetentionRunRecord, 'removedJobs' | 'files' | 'bytes' | 'vectorFiles' | 'dryRun'>): string {
  if (removedJobs === 0) return 'Nothing to remove.';
  const vectors = vectorFiles > 0 ? ` and vectors of ${pluralise(vectorFiles, 'file')}` : '';
  const what = `${pluralise(files, 'file')} (${formatBytes(bytes)})${vectors} of ${pluralise(removedJobs, 'job')}`;
  return `${what} ${dryRun ? 'would be removed' : 'removed'}.`;
}

/** Renders how far a run is, or how it ended. */
export function renderRun(run: RetentionRunRecord): string {
  const { status, requestedBy, requestedAt, endedAt, failure = '' } = run;
  const who = `by ${toPrintable(requestedBy)} on ${endedAt ?? requestedAt}`;
  if (status === 'failed') return `Last run, ${who}: failed, because ${toPrintable(failure)}`;
  if (status !== 'completed') return `Run ${who}: ${status}, ${pluralise(run.jobs, 'job')} checked so far`;
  return `Last run, ${who}: ${renderFigures(run)}`;
}
