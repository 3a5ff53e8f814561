import { UsageError } from '../../command/command-errors.js';
import type { CommandContext } from '../../command/command-context.js';
import { exitCode, type ExitCode } from '../../command/exit-code.js';
import { connect } from '../../connection/connect.js';
import type { JobChoice } from '../../release/choose-jobs.js';
import { describeGuard, renderFigures } from '../render-guards.js';
import { toPlace, type PlaceOptions } from '../stored-guards.js';

export interface RecordOptions extends JobChoice, PlaceOptions {
  readonly number?: number;
}

/** `phaseline guards backtest NAME --record`: lets the server run a stored guard on recorded calls, and record what it found. */
export async function recordBacktest(
  context: CommandContext,
  name: string,
  { job, agent, since, limit, number, ...options }: RecordOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  if (job !== undefined)
    throw new UsageError('Give --record or --job, not both: a recorded backtest reads the newest jobs of the tenant.');
  if (!/^[a-z][a-z0-9-]{0,62}$/.test(name))
    throw new UsageError(`'${name}' is no name of a stored guard. Store the file first: phaseline guards add ${name}`);
  const request = {
    ...toPlace(options),
    maxJobs: limit,
    ...(agent === undefined ? {} : { agent }),
    ...(since === undefined ? {} : { since }),
    ...(number === undefined ? {} : { number }),
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
