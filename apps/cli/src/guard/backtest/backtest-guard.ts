import type { JsonObject } from '@phaseline/basics';
import { backtestMessageSchema } from '@phaseline/contracts';
import type { Guard } from '@phaseline/domain';
import { openLogDatabase, type LogDatabase } from '../../audit/open-log-database.js';
import { UsageError } from '../../command/command-errors.js';
import type { CommandContext } from '../../command/command-context.js';
import { exitCode, type ExitCode } from '../../command/exit-code.js';
import { startProgress } from '../../output/start-progress.js';
import { chooseJobs, type JobChoice } from '../../release/choose-jobs.js';
import { runWhatIf } from '../../release/run-what-if.js';
import { BacktestReport } from './backtest-report.js';
import { recordBacktest, type RecordOptions } from './record-backtest.js';
import { readBacktestedGuards, type BacktestedGuards } from './read-backtested-guards.js';
import { renderBacktest, renderBacktestProgress, renderUntested } from './render-backtest.js';

export interface BacktestOptions extends RecordOptions {
  readonly record?: boolean;
  readonly execute?: boolean;
}

/**
 * `phaseline guards backtest FILE`: asks a rule or a script about recorded jobs, and reports what it would have decided, what became of it, and
 * what being wrong would have cost. With `--execute`, it runs the commands of a guard set in the sandbox, one after the other. With `--record`, the
 * server does it with a stored guard and records the figures. With `--json`, each job with all its hits is one line, and a summary follows the jobs of each guard.
 */
export async function backtestGuard(
  context: CommandContext,
  file: string,
  { record = false, execute = false, ...options }: BacktestOptions,
): Promise<ExitCode> {
  if (record && execute)
    throw new UsageError('Give --record or --execute, not both: the server runs no commands of guards.');
  if (record) return recordBacktest(context, file, options);
  if (options.tenant !== undefined || options.system || options.number !== undefined)
    throw new UsageError('--tenant, --system and --number choose a stored guard: give its name with --record.');
  const { out, currentDirectory } = context;
  const { guards, untested, ...given } = await readBacktestedGuards(currentDirectory, file, execute);
  const database = await openLogDatabase(context);
  try {
    for (const guard of guards) await tryGuard(context, database, { guard, ...given }, options);
  } finally {
    await database.close();
  }
  if (out.isStructured)
    for (const { name, kind, points } of untested) out.writeRecord({ kind: 'untested', guard: { name, kind }, points });
  else if (untested.length > 0) out.writeLines('', ...renderUntested(untested));
  return exitCode.ok;
}

/** Tries one guard on the chosen jobs, and reports it. */
async function tryGuard(
  context: CommandContext,
  database: LogDatabase,
  { guard, ...execution }: { readonly guard: Guard } & Pick<BacktestedGuards, 'execution'>,
  options: JobChoice,
): Promise<void> {
  const { out } = context;
  const progress = startProgress(context);
  const report = new BacktestReport();
  const { name, kind, version } = guard;
  try {
    // A guard is JSON; its type has no index signature.
    const guardAsJson = guard as unknown as JsonObject;
    const jobs = await chooseJobs(database.url, options);
    const request = { kind: 'backtest' as const, guard: guardAsJson, ...execution, ...jobs };
    for await (const message of runWhatIf(database.url, request, backtestMessageSchema, context)) {
      report.add(message);
      if (out.isStructured && message.kind === 'backtested')
        out.writeRecord({ kind: 'job', guard: name, ...message.backtest });
      progress.report(renderBacktestProgress(report));
    }
  } finally {
    progress.end();
  }
  const summary = { guard: { name, kind, version }, ...report.summarise() };
  if (out.isStructured) out.writeRecord({ kind: 'summary', database: database.name, ...summary });
  else out.writeLines(...renderBacktest(summary, out.paint));
}
