import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';

export interface CancelOptions {
  readonly reason?: string;
  readonly wait?: boolean;
}

/** `phaseline cancel JOB`: requests the cancellation of a job. Succeeds if the job has already ended. */
export async function cancel(context: CommandContext, given: string, options: CancelOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const { position } = await client.get(jobId, { signal });
  const response = await client.cancel(jobId, { reason: options.reason, ifUnchangedSince: position }, { signal });
  const status = options.wait ? (await client.wait(jobId, { signal })).status : response.status;
  if (out.isStructured) out.writeDocument({ ...response, status });
  else if (response.changed) out.writeLines(`${jobId} is ${status}.`);
  else out.writeLines(`${jobId} is already ${status}; there was nothing to cancel.`);
  return exitCode.ok;
}
