import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
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
import { isGuardName, recordBacktest, type RecordOptions } from './record-backtest.js';
import { readBacktestedGuards, type BacktestedGuards } from './read-backtested-guards.js';
import { readStoredGuard } from './read-stored-guard.js';
import { renderBacktest, renderBacktestProgress, renderUntested } from './render-backtest.js';
import { renderTriedCases, tryCases } from './try-cases.js';

export interface BacktestOptions extends RecordOptions {
  readonly record?: boolean;
  readonly execute?: boolean;
}

/**
 * `phaseline guards backtest FILE`: asks a rule or a script about recorded jobs, and reports what it would have decided, what became of it, and
 * what being wrong would have cost. With `--execute`, it runs the commands of a guard set in the sandbox, one after the other. With `--cases`, it runs
 * cases instead. With `--record`, the server does it with a stored guard and records the figures. With `--json`, each job with all its hits is one
 * line, and a summary follows the jobs of each guard.
 */
export async function backtestGuard(
  context: CommandContext,
  file: string,
  { record = false, execute = false, ...options }: BacktestOptions,
): Promise<ExitCode> {
  if (record && execute)
    throw new UsageError('Give --record or --execute, not both: the server runs no commands of guards.');
  if (record) return recordBacktest(context, file, options);
  if (options.cases !== undefined && execute)
    throw new UsageError('Give --cases or --execute, not both: cases run no commands of guards.');
  if (options.cases !== undefined) return backtestOnCases(context, file, options.cases, options);
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

/** Runs cases with a guard of a file, or with a stored one if there is no such file. Exit code 1 if it breaks one. */
async function backtestOnCases(
  context: CommandContext,
  file: string,
  cases: string,
  options: RecordOptions,
): Promise<ExitCode> {
  const { out, currentDirectory } = context;
  const isStored = isGuardName(file) && !existsSync(resolve(currentDirectory, file));
  const guard = isStored
    ? (await readStoredGuard(context, file, options)).guard
    : (await readBacktestedGuards(currentDirectory, file, false)).guards[0]!;
  const tried = await tryCases(context, guard, cases);
  const { name, kind, version } = guard;
  if (out.isStructured) out.writeDocument({ guard: { name, kind, version }, ...tried });
  else out.writeLines(...renderTriedCases(tried, out.paint));
  return tried.broken.length > 0 ? exitCode.failed : exitCode.ok;
}
