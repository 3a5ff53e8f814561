import { checkReadModels, type CheckReport, type RowDifference } from '@phaseline/projections';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { counted, shortCount } from '../output/quantities.js';
import { showProgress } from './build-progress.js';
import { modelNames } from './model-names.js';
import { withLogPool } from './with-log-pool.js';

/** `phaseline projections check`: exit code 1 when a row is not what the log says. */
export async function check(context: CommandContext, given: readonly string[]): Promise<ExitCode> {
  const { out, signal } = context;
  const names = modelNames(given);
  return withLogPool(context, async (pool, database) => {
    const progress = showProgress(context);
    const report = await checkReadModels(pool, { names, signal, onProgress: progress.onProgress }).finally(
      progress.end,
    );
    if (out.json) out.document({ database, ...report });
    else out.lines(...renderCheck(report, out.paint));
    return report.holds ? exitCode.ok : exitCode.failed;
  });
}

const SHOWN = 20;

export function renderCheck({ models, behind, jobs, events, seconds }: CheckReport, paint: Paint): string[] {
  const lines: string[] = [];
  for (const { name, version, rows, differences, differenceCount } of models) {
    const verdict = differenceCount === 0 ? paint.green('✓') : paint.red('✗');
    const wrong =
      differenceCount === 0 ? 'each the fold of the log' : `${counted(differenceCount, 'row')} not what the log says`;
    lines.push(`${verdict} ${name} v${version}: ${counted(rows, 'row')}, ${wrong}`);
    for (const difference of differences.slice(0, SHOWN)) lines.push(...renderDifference(difference, paint));
    if (differenceCount > SHOWN) lines.push(`  and ${differenceCount - SHOWN} more`);
  }
  for (const { jobId, position, type, schemaVersion } of behind.slice(0, SHOWN)) {
    lines.push(
      `${paint.yellow('!')} job ${jobId} stands still before position ${position}: ${printable(type)}, version ${schemaVersion}, ` +
        'was not understood by the release that keeps the tables',
    );
  }
  if (behind.length > SHOWN) lines.push(`  and ${behind.length - SHOWN} more`);
  lines.push(`${shortCount(events)} events of ${counted(jobs, 'job')} folded in ${seconds.toFixed(1)} s`);
  if (models.some(({ differenceCount }) => differenceCount > 0))
    lines.push('', 'Build what differs anew with: phaseline projections rebuild');
  if (behind.length > 0)
    lines.push(
      '',
      'An orchestrator of the newer release folds jobs that stand still when it starts. Other jobs do not wait.',
    );
  return lines;
}

function renderDifference({ key, stored, folded }: RowDifference, paint: Paint): string[] {
  const name = Object.entries(key)
    .map(([column, value]) => `${column} ${value}`)
    .join(', ');
  return [
    `  ${paint.bold(printable(name))}`,
    `    table: ${stored === undefined ? 'no row' : printable(stored)}`,
    `    log:   ${folded === undefined ? 'no row' : printable(folded)}`,
  ];
}
