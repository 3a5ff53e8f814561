import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { bytes, counted, shortCount } from '../output/quantities.js';
import { bar } from '../progress/render-progress.js';
import type { AuditProblem, AuditReport } from './verify-log.js';

const MAX_PROBLEMS_SHOWN = 50;
const BAR_COLUMNS = 30;

/** The outcome on one line. */
export function auditLine(report: AuditReport, paint: Paint): string {
  const events = `${counted(report.events, 'event')} in ${counted(report.streams, 'stream')}`;
  const anchors = report.seals ? `, ${counted(report.seals, 'anchor')} checked` : '';
  const files = report.files ? `, ${counted(report.files, 'file')} (${bytes(report.bytes ?? 0)})` : '';
  if (report.holds)
    return `${paint.green('✓ audit verify passed')}: ${events}${files} recomputed, all hashes match${anchors}`;
  return `${paint.red('✗ audit verify failed')}: ${counted(report.problemCount, 'problem')} in ${events}`;
}

/** The outcome, then a line for each problem with its stream, its version and what is wrong. */
export function renderAudit(report: AuditReport, paint: Paint): string[] {
  const lines = [auditLine(report, paint)];
  for (const problem of report.problems.slice(0, MAX_PROBLEMS_SHOWN))
    lines.push(
      `  ${paint.bold(describeLocation(problem))} ${problem.kind}: ${describeFile(problem)}${printable(problem.detail)}`,
    );
  const hidden = report.problemCount - Math.min(report.problems.length, MAX_PROBLEMS_SHOWN);
  if (hidden > 0) lines.push(`  and ${hidden} more`);
  const isSignerKnown = report.confirmed?.some((sentence) => sentence.startsWith('every anchor')) ?? false;
  if (report.holds && !isSignerKnown && report.keyIds !== undefined && report.keyIds.length > 0)
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
  else if (!report.holds)
    lines.push(
      '',
      'The stored rows are not the ones that were written: they were changed outside of Phaseline, or the disk is',
      'damaged. Copy the database before you change anything, and compare the copy with a backup.',
    );
  return lines;
}

function describeLocation({ streamId, version, seal }: AuditProblem): string {
  if (streamId !== undefined) return `${printable(streamId)} version ${version}`;
  return seal === undefined ? 'export' : `anchor ${seal}`;
}

/** Names the file and its job if the problem is about a file. */
function describeFile({ path, jobId }: AuditProblem): string {
  return path === undefined ? '' : `${printable(path)} of job ${printable(jobId ?? '')}: `;
}

/** Progress of the check of files. Their total is only known at the end. */
export function filesProgress(files: number, size: number): string {
  return `${shortCount(files)} files, ${bytes(size)} checked`;
}

/** Progress of the check of events. `done` may exceed `total`, because events are appended meanwhile. */
export function auditProgress(done: number, total: number): string {
  const percent = total === 0 ? 0 : Math.min(99, Math.floor((100 * done) / total));
  return `${bar(Math.min(done, total), total, BAR_COLUMNS)} ${String(percent).padStart(2)} %  ${shortCount(done)} of ${shortCount(total)} events`;
}
