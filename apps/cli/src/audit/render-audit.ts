import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { bytes, counted, shortCount } from '../output/quantities.js';
import { bar } from '../progress/render-progress.js';
import type { AuditProblem, AuditReport } from './verify-log.js';

const SHOWN_PROBLEMS = 50;
const BAR_COLUMNS = 30;

/** The verdict on one line. */
export function auditLine(report: AuditReport, paint: Paint): string {
  const looked = `${counted(report.events, 'event')} in ${counted(report.streams, 'stream')}`;
  const seals = report.seals ? `, and ${counted(report.seals, 'seal')}` : '';
  const files = report.files ? `, ${counted(report.files, 'file')} (${bytes(report.bytes ?? 0)})` : '';
  if (report.holds)
    return `${paint.green('✓ audit verify holds')}: ${looked}${files} recomputed, every hash fits${seals}`;
  return `${paint.red('✗ audit verify does not hold')}: ${counted(report.problemCount, 'problem')} in ${looked}`;
}

/** The verdict, and for each problem the stream, the version and what is wrong. */
export function renderAudit(report: AuditReport, paint: Paint): string[] {
  const lines = [auditLine(report, paint)];
  for (const problem of report.problems.slice(0, SHOWN_PROBLEMS))
    lines.push(`  ${paint.bold(placeOf(problem))} ${problem.kind}: ${fileOf(problem)}${printable(problem.detail)}`);
  const hidden = report.problemCount - Math.min(report.problems.length, SHOWN_PROBLEMS);
  if (hidden > 0) lines.push(`  and ${hidden} more`);
  const isSignerKnown = report.confirmed?.some((sentence) => sentence.startsWith('every seal')) ?? false;
  if (report.holds && !isSignerKnown && report.keyIds !== undefined && report.keyIds.length > 0)
    lines.push(`  signed by ${report.keyIds.join(', ')}: compare that with the key you know (--key FILE does)`);
  for (const sentence of report.confirmed ?? []) lines.push(`  confirmed: ${sentence}`);
  for (const sentence of report.notChecked ?? []) lines.push(`  not checked: ${sentence}`);
  // Another key than the one given shows nothing of what is stored.
  if (report.problems.length > 0 && report.problems.every(({ kind }) => kind.endsWith('-other-key')))
    lines.push(
      '',
      'The hashes fit. Who signed is not who was expected: compare the key ids, and ask the operators of the sealing service.',
    );
  else if (!report.holds)
    lines.push(
      '',
      'What is stored is not what was written: rows were changed behind the back of Phaseline, or the disk is',
      'damaged. Keep a copy of the database as it is and compare it with a backup.',
    );
  return lines;
}

function placeOf({ streamId, version, seal }: AuditProblem): string {
  if (streamId !== undefined) return `${printable(streamId)} version ${version}`;
  return seal === undefined ? 'export' : `seal ${seal}`;
}

/** Which file of which job, where a problem is about one. */
function fileOf({ path, jobId }: AuditProblem): string {
  return path === undefined ? '' : `${printable(path)} of job ${printable(jobId ?? '')}: `;
}

/** While files are checked; how many there are is known at the end. */
export function filesProgress(files: number, size: number): string {
  return `${shortCount(files)} files, ${bytes(size)} checked`;
}

/** While it runs: how far it is. Events that are written meanwhile may make it a little more than was counted. */
export function auditProgress(done: number, total: number): string {
  const share = total === 0 ? 0 : Math.min(99, Math.floor((100 * done) / total));
  return `${bar(Math.min(done, total), total, BAR_COLUMNS)} ${String(share).padStart(2)} %  ${shortCount(done)} of ${shortCount(total)} events`;
}
