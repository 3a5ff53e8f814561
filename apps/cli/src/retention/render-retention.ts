import type { RetentionResult, RetentionSetting } from '@phaseline/orchestration';
import { toPrintable } from '../output/printable.js';
import { formatBytes, pluralise } from '../output/quantities.js';

const REASONS = {
  held: 'a legal hold is on it',
  forked: 'a fork still needs them',
  'recently-stored': 'they were stored in the last two hours; run again later',
  changing: 'they kept changing; run again later',
} as const;

/** Renders how long a tenant keeps what its ended jobs leave behind. */
export function renderSetting({
  tenant,
  filesDays,
  vectorsDays,
}: Pick<RetentionSetting, 'tenant' | 'filesDays' | 'vectorsDays'>): string {
  const name = toPrintable(tenant);
  const vectors = vectorsDays === null ? '' : `; vectors are removed ${pluralise(vectorsDays, 'day')} after it`;
  if (filesDays !== null)
    return `${name}: files are removed ${pluralise(filesDays, 'day')} after the end of a job${vectors}`;
  if (vectorsDays === null) return `${name} keeps its files.`;
  return `${name}: vectors are removed ${pluralise(vectorsDays, 'day')} after the end of a job; files are kept`;
}

/** Renders what was done with the files of one job. */
export function renderResult({ jobId, tenant, outcome }: RetentionResult, dryRun: boolean): string {
  const job = `${jobId} of ${toPrintable(tenant)}`;
  if (outcome.kind === 'kept') return `${job}: files kept, because ${REASONS[outcome.reason]}`;
  if (outcome.kind === 'released') {
    if (outcome.neededElsewhere === 0) return `${job}: it has no files`;
    return `${job}: ${pluralise(outcome.neededElsewhere, 'file')} kept until the last other job that needs them is removed`;
  }
  if (outcome.kind === 'vectors-removed') {
    const vectors = `vectors of ${pluralise(outcome.vectorFiles, 'file')}`;
    return dryRun ? `${job}: ${vectors} would be removed` : `${job}: ${vectors} removed`;
  }
  const what = `${pluralise(outcome.files, 'file')} (${formatBytes(outcome.bytes)})`;
  return dryRun ? `${job}: ${what} would be removed` : `${job}: ${what} removed`;
}

export function renderTotals(results: readonly RetentionResult[], dryRun: boolean): string {
  let [files, bytes, vectorFiles, jobs] = [0, 0, 0, 0];
  for (const { outcome } of results) {
    if (outcome.kind === 'kept' || outcome.kind === 'released') continue;
    jobs += 1;
    if (outcome.kind === 'vectors-removed') vectorFiles += outcome.vectorFiles;
    else [files, bytes] = [files + outcome.files, bytes + outcome.bytes];
  }
  if (jobs === 0) return 'Nothing to remove.';
  const vectors = vectorFiles > 0 ? ` and vectors of ${pluralise(vectorFiles, 'file')}` : '';
  const what = `${pluralise(files, 'file')} (${formatBytes(bytes)})${vectors} of ${pluralise(jobs, 'job')}`;
  return dryRun ? `${what} would be removed.` : `${what} removed.`;
}
