import { UsageError } from '../../command/command-errors.js';
import type { CommandContext } from '../../command/command-context.js';
import { exitCode, type ExitCode } from '../../command/exit-code.js';
import { connect } from '../../connection/connect.js';
import type { JobChoice } from '../../release/choose-jobs.js';
import { describeGuard, renderFigures } from '../render-guards.js';
import { toPlace, type PlaceOptions } from '../stored-guards.js';
import { readStoredGuard } from './read-stored-guard.js';
import { renderTriedCases, tryCases } from './try-cases.js';

export interface RecordOptions extends JobChoice, PlaceOptions {
  readonly number?: number;
  /** Folder of cases, or an agent with cases. */
  readonly cases?: string;
}

/** Whether a text is the name of a guard, which has neither a folder nor an extension. */
export function isGuardName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,62}$/.test(text);
}

/** `phaseline guards backtest NAME --record`: lets the server run a stored guard on recorded calls, and record what it found. */
export async function recordBacktest(
  context: CommandContext,
  name: string,
  { job, agent, since, limit, number, cases, ...options }: RecordOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  if (job !== undefined)
    throw new UsageError('Give --record or --job, not both: a recorded backtest reads the newest jobs of the tenant.');
  if (!isGuardName(name))
    throw new UsageError(`'${name}' is no name of a stored guard. Store the file first: phaseline guards add ${name}`);
  const version = { ...(number === undefined ? {} : { number }) };
  const tried = cases === undefined ? version : await tryStored(context, name, cases, { ...version, ...options });
  const request = {
    ...toPlace(options),
    maxJobs: limit,
    ...(agent === undefined ? {} : { agent }),
    ...(since === undefined ? {} : { since }),
    // The version that the cases ran with, even if another one was added meanwhile.
    ...tried,
  };
  const recorded = await (await connect(context)).guards.backtest(name, request, { signal });
  if (out.isStructured) out.writeDocument(recorded);
  else
    out.writeLines(
      `${describeGuard(recorded.guard)}: version ${recorded.backtest.number} is in the stage ${recorded.stage}.`,
      ...renderFigures(recorded.backtest),
    );
  return exitCode.ok;
}

/** Runs cases with a version of a stored guard. What they showed is shown before the server is asked, which takes minutes. */
async function tryStored(
  context: CommandContext,
  name: string,
  cases: string,
  options: Parameters<typeof readStoredGuard>[2],
) {
  const { out } = context;
  const { number, guard } = await readStoredGuard(context, name, options);
  const tried = await tryCases(context, guard, cases);
  if (!out.isStructured) out.writeLines(...renderTriedCases(tried, out.paint), '');
  return { number, cases: { passed: tried.passed, broken: tried.broken.map((one) => one.name) } };
}
