import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { asSeen } from '../control/control.js';

export interface CancelOptions {
  readonly reason?: string;
  readonly wait?: boolean;
}

/** `phaseline cancel JOB`: asks for its end. A job that has ended already is no failure. */
export async function cancel(context: CommandContext, given: string, options: CancelOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const jobId = await findJob(client, given, signal);
  const seen = asSeen(await client.get(jobId, { signal }));
  const why = options.reason === undefined ? {} : { reason: options.reason };
  const answer = await client.cancel(jobId, { ...why, ...seen }, { signal });
  const status = options.wait ? (await client.wait(jobId, { signal })).status : answer.status;
  if (out.json) out.document({ ...answer, status });
  else if (answer.accepted) out.lines(`${jobId} is ${status}.`);
  else out.lines(`${jobId} was ${status} before; there was nothing to cancel.`);
  return exitCode.ok;
}
