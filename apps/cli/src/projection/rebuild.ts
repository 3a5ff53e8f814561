import { rebuildReadModels, type RebuildReport } from '@phaseline/projections';
import { openColdStorage } from '@phaseline/event-store';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import type { Paint } from '../output/paint.js';
import { pluralise, formatCount } from '../output/quantities.js';
import { showProgress } from './build-progress.js';
import { parseModelNames } from './parse-model-names.js';
import { withLogPool } from '../audit/with-log-pool.js';

/** `phaseline projections rebuild`: rebuilds read models next to the active ones, then switches. */
export async function rebuild(context: CommandContext, given: readonly string[]): Promise<ExitCode> {
  const { out, signal, env } = context;
  const names = parseModelNames(given);
  return withLogPool(context, 'phaseline-projections', async (pool, database) => {
    const progress = showProgress(context);
    const report = await rebuildReadModels(pool, {
      names,
      cold: openColdStorage(env),
      signal,
      onProgress: progress.onProgress,
    }).finally(progress.end);
    if (out.isStructured) out.writeDocument({ database, ...report });
    else out.writeLines(...renderRebuild(report, out.paint));
    return exitCode.ok;
  });
}

export function renderRebuild(report: RebuildReport, paint: Paint): string[] {
  const { versions, jobs, events, elapsedMs, switchMs, droppedVersions } = report;
  const built = Object.entries(versions).map(([name, version]) => `${name} v${version}`);
  return [
    ...(droppedVersions.length > 0 ? [`removed tables of an interrupted rebuild: ${droppedVersions.join(', ')}`] : []),
    `${paint.green('✓ rebuilt')} ${built.join(', ')}: ${pluralise(jobs, 'job')}, ${formatCount(events)} events in ${(elapsedMs / 1_000).toFixed(1)} s, switched in ${Math.round(switchMs)} ms`,
  ];
}
