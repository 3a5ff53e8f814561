import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatBytes, pluralise, formatCount } from '../output/quantities.js';
import { renderBar } from '../progress/render-progress.js';

/** A problem as a verification of this program or of a server reports it. */
interface ShownProblem {
  readonly kind: string;
  readonly detail: string;
  readonly streamId?: string | undefined;
  readonly version?: number | undefined;
  readonly anchor?: number | undefined;
  readonly jobId?: string | undefined;
  readonly path?: string | undefined;
}

/** What a verification of this program or of a server found. */
interface ShownReport {
  readonly passed: boolean;
  readonly events: number;
  readonly streams: number;
  readonly anchors?: number | undefined;
  readonly keyIds?: readonly string[] | undefined;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
  readonly claims?: number | undefined;
  readonly derivedClaims?: number | undefined;
  readonly confirmed?: readonly string[] | undefined;
  readonly notChecked?: readonly string[] | undefined;
  readonly problems: readonly ShownProblem[];
  readonly problemCount: number;
}

const MAX_PROBLEMS_SHOWN = 50;
const BAR_COLUMNS = 30;

/** The outcome on one line. */
export function renderAuditOutcome(report: ShownReport, paint: Paint): string {
  const events = `${pluralise(report.events, 'event')} in ${pluralise(report.streams, 'stream')}`;
  const anchors = report.anchors ? `, ${pluralise(report.anchors, 'anchor')} checked` : '';
  const files = report.files ? `, ${pluralise(report.files, 'file')} (${formatBytes(report.bytes ?? 0)})` : '';
  const claims =
    report.claims === undefined
      ? ''
      : `, ${formatCount(report.derivedClaims ?? 0)} of ${pluralise(report.claims, 'accepted claim')} derived again`;
  if (report.passed)
    return `${paint.green('✓ audit verify passed')}: ${events}${files} recomputed, all hashes match${anchors}${claims}`;
  return `${paint.red('✗ audit verify failed')}: ${pluralise(report.problemCount, 'problem')} in ${events}`;
}

/** The outcome, then a line for each problem with its stream, its version and what is wrong. */
export function renderAudit(report: ShownReport, paint: Paint): string[] {
  const lines = [renderAuditOutcome(report, paint)];
  for (const problem of report.problems.slice(0, MAX_PROBLEMS_SHOWN))
    lines.push(
      `  ${paint.bold(describeLocation(problem))} ${problem.kind}: ${describeFile(problem)}${toPrintable(problem.detail)}`,
    );
  const hidden = report.problemCount - Math.min(report.problems.length, MAX_PROBLEMS_SHOWN);
  if (hidden > 0) lines.push(`  and ${hidden} more`);
  const isSignerKnown = report.confirmed?.some((sentence) => sentence.startsWith('every anchor')) ?? false;
  if (report.passed && !isSignerKnown && report.keyIds !== undefined && report.keyIds.length > 0)
    lines.push(
      `  signed by ${report.keyIds.join(', ')}: compare with the key id you trust, or give that key with --key FILE`,
    );
  for (const sentence of report.confirmed ?? []) lines.push(`  confirmed: ${sentence}`);
  for (const sentence of report.notChecked ?? []) lines.push(`  not checked: ${sentence}`);
  // An unexpected signer says nothing about the stored rows.
  if (report.problems.length > 0 && report.problems.every(({ kind }) => kind.endsWith('-other-key')))
    lines.push(
      '',
      'All hashes match, but the signer is not the expected one. Compare the key ids, and ask the operators of the service that writes anchors.',
    );
  else if (report.problems.length > 0 && report.problems.every(({ kind }) => kind.startsWith('claim-')))
    lines.push(
      '',
      'All hashes match, but the log accepts claims that it does not prove. Read the steps before each of them (phaseline events JOB),',
      'and ask who could append to the log.',
    );
  else if (!report.passed)
    lines.push(
      '',
      'The stored rows are not the ones that were written: they were changed outside of Phaseline, or the disk is',
      'damaged. Copy the database before you change anything, and compare the copy with a backup.',
    );
  return lines;
}

function describeLocation({ streamId, version, anchor }: ShownProblem): string {
  if (streamId !== undefined) return `${toPrintable(streamId)} version ${version}`;
  return anchor === undefined ? 'export' : `anchor ${anchor}`;
}

/** Names the file and its job if the problem is about a file. */
function describeFile({ path, jobId }: ShownProblem): string {
  return path === undefined ? '' : `${toPrintable(path)} of job ${toPrintable(jobId ?? '')}: `;
}

/** Progress of the check of files. Their total is only known at the end. */
export function renderFilesProgress(files: number, size: number): string {
  return `${formatCount(files)} files, ${formatBytes(size)} checked`;
}

/** Progress of deriving claims. */
export function renderClaimsProgress(jobs: number, claims: number): string {
  return `${formatCount(claims)} claims of ${pluralise(jobs, 'job')} derived`;
}

/** Progress of the check of events. `done` may exceed `total`, because events are appended meanwhile. */
export function renderAuditProgress(done: number, total: number): string {
  const percent = total === 0 ? 0 : Math.min(99, Math.floor((100 * done) / total));
  return `${renderBar(Math.min(done, total), total, BAR_COLUMNS)} ${String(percent).padStart(2)} %  ${formatCount(done)} of ${formatCount(total)} events`;
}
