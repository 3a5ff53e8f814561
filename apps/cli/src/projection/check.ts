import { checkReadModels, type CheckReport, type RowDifference } from '@phaseline/projections';
import { openColdStorage } from '@phaseline/event-store';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { pluralise, formatCount } from '../output/quantities.js';
import { showProgress } from './build-progress.js';
import { parseModelNames } from './parse-model-names.js';
import { withLogPool } from '../audit/with-log-pool.js';

/** `phaseline projections check`: compares every row with the log. Exit code 1 if one differs. */
export async function check(context: CommandContext, given: readonly string[]): Promise<ExitCode> {
  const { out, signal, env } = context;
  const names = parseModelNames(given);
  return withLogPool(context, 'phaseline-projections', async (pool, database) => {
    const progress = showProgress(context);
    const report = await checkReadModels(pool, {
      names,
      cold: openColdStorage(env),
      signal,
      onProgress: progress.onProgress,
    }).finally(progress.end);
    if (out.isStructured) out.writeDocument({ database, ...report });
    else out.writeLines(...renderCheck(report, out.paint));
    return report.passed ? exitCode.ok : exitCode.failed;
  });
}

const MAX_SHOWN = 20;

export function renderCheck({ projections, behindJobs, jobs, events, elapsedMs }: CheckReport, paint: Paint): string[] {
  const lines: string[] = [];
  for (const { name, version, rows, differences, differenceCount } of projections) {
    const mark = differenceCount === 0 ? paint.green('✓') : paint.red('✗');
    const outcome = differenceCount === 0 ? 'all match the log' : `${differenceCount} differ from the log`;
    lines.push(`${mark} ${name} v${version}: ${pluralise(rows, 'row')}, ${outcome}`);
    for (const difference of differences.slice(0, MAX_SHOWN)) lines.push(...renderDifference(difference, paint));
    if (differenceCount > MAX_SHOWN) lines.push(`  and ${differenceCount - MAX_SHOWN} more`);
  }
  for (const { jobId, position, type, schemaVersion } of behindJobs.slice(0, MAX_SHOWN)) {
    lines.push(
      `${paint.yellow('!')} job ${jobId} is not folded from position ${position} on: the release that maintains the tables ` +
        `does not know ${toPrintable(type)}, version ${schemaVersion}`,
    );
  }
  if (behindJobs.length > MAX_SHOWN) lines.push(`  and ${behindJobs.length - MAX_SHOWN} more`);
  lines.push(
    `${formatCount(events)} events of ${pluralise(jobs, 'job')} folded in ${(elapsedMs / 1_000).toFixed(1)} s`,
  );
  if (projections.some(({ differenceCount }) => differenceCount > 0))
    lines.push('', 'Rebuild tables that differ with: phaseline projections rebuild');
  if (behindJobs.length > 0)
    lines.push(
      '',
      'An orchestrator of the newer release folds these jobs when it starts. Other jobs are not affected.',
    );
  return lines;
}

function renderDifference({ key, stored, folded }: RowDifference, paint: Paint): string[] {
  const name = Object.entries(key)
    .map(([column, value]) => `${column} ${value}`)
    .join(', ');
  return [
    `  ${paint.bold(toPrintable(name))}`,
    `    table: ${stored === undefined ? 'no row' : toPrintable(stored)}`,
    `    log:   ${folded === undefined ? 'no row' : toPrintable(folded)}`,
  ];
}
