import type { RetentionResult } from '@phaseline/orchestration';
import { toPrintable } from '../output/printable.js';
import { formatBytes, pluralise } from '../output/quantities.js';

const REASONS = {
  held: 'a legal hold is on it',
  forked: 'a fork still needs them',
  encrypted: 'it is encrypted: erase it with phaseline erase',
  'needed-elsewhere': 'other jobs keep referring to them; run again later',
} as const;

/** Renders what was done with the files of one job. */
export function renderResult({ jobId, tenant, outcome }: RetentionResult, dryRun: boolean): string {
  const job = `${jobId} of ${toPrintable(tenant)}`;
  if (outcome.kind === 'kept') return `${job}: files kept, because ${REASONS[outcome.reason]}`;
  const what = `${pluralise(outcome.files, 'file')} (${formatBytes(outcome.bytes)})`;
  return dryRun ? `${job}: ${what} would be removed` : `${job}: ${what} removed`;
}

export function renderTotals(results: readonly RetentionResult[], dryRun: boolean): string {
  const removed = results.flatMap(({ outcome }) => (outcome.kind === 'removed' ? [outcome] : []));
  const files = removed.reduce((sum, outcome) => sum + outcome.files, 0);
  const bytes = removed.reduce((sum, outcome) => sum + outcome.bytes, 0);
  const what = `${pluralise(files, 'file')} (${formatBytes(bytes)}) of ${pluralise(removed.length, 'job')}`;
  if (removed.length === 0) return 'Nothing to remove.';
  return dryRun ? `${what} would be removed.` : `${what} removed.`;
}
