import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonObject } from '@phaseline/basics';
import { backtestMessageSchema } from '@phaseline/contracts';
import { openLogDatabase } from '../../audit/open-log-database.js';
import { UsageError } from '../../command/command-errors.js';
import type { CommandContext } from '../../command/command-context.js';
import { exitCode, type ExitCode } from '../../command/exit-code.js';
import { startProgress } from '../../output/start-progress.js';
import { chooseJobs } from '../../release/choose-jobs.js';
import { runWhatIf } from '../../release/run-what-if.js';
import { BacktestReport } from './backtest-report.js';
import { isGuardName, recordBacktest, type RecordOptions } from './record-backtest.js';
import { readBacktestedGuard } from './read-backtested-guard.js';
import { readStoredGuard } from './read-stored-guard.js';
import { renderBacktest, renderBacktestProgress } from './render-backtest.js';
import { renderTriedCases, tryCases } from './try-cases.js';

/**
 * `phaseline guards backtest FILE`: asks a rule or a script about recorded jobs, and reports what it would have decided, what became of it, and
 * what being wrong would have cost. With `--cases`, it runs cases instead. With `--record`, the server does it with a stored guard and records the figures. With `--json`, each job with all its hits is one line, and the summary is the last one.
 */
export async function backtestGuard(
  context: CommandContext,
  file: string,
  { record = false, ...options }: RecordOptions & { readonly record?: boolean },
): Promise<ExitCode> {
  if (record) return recordBacktest(context, file, options);
  if (options.cases !== undefined) return backtestOnCases(context, file, options.cases, options);
  if (options.tenant !== undefined || options.system || options.number !== undefined)
    throw new UsageError('--tenant, --system and --number choose a stored guard: give its name with --record.');
  const { out, currentDirectory } = context;
  const guard = await readBacktestedGuard(currentDirectory, file);
  const progress = startProgress(context);
  const database = await openLogDatabase(context);
  const report = new BacktestReport();
  try {
    // A guard is JSON; its type has no index signature.
    const guardAsJson = guard as unknown as JsonObject;
    const request = { kind: 'backtest' as const, guard: guardAsJson, ...(await chooseJobs(database.url, options)) };
    for await (const message of runWhatIf(database.url, request, backtestMessageSchema, context)) {
      report.add(message);
      if (out.isStructured && message.kind === 'backtested') out.writeRecord({ kind: 'job', ...message.backtest });
      progress.report(renderBacktestProgress(report));
    }
  } finally {
    progress.end();
    await database.close();
  }
  const { name, kind, version } = guard;
  const summary = { guard: { name, kind, version }, ...report.summarise() };
  if (out.isStructured) out.writeRecord({ kind: 'summary', database: database.name, ...summary });
  else out.writeLines(...renderBacktest(summary, out.paint));
  return exitCode.ok;
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
    : await readBacktestedGuard(currentDirectory, file);
  const tried = await tryCases(context, guard, cases);
  const { name, kind, version } = guard;
  if (out.isStructured) out.writeDocument({ guard: { name, kind, version }, ...tried });
  else out.writeLines(...renderTriedCases(tried, out.paint));
  return tried.broken.length > 0 ? exitCode.failed : exitCode.ok;
}
