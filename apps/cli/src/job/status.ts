import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { renderJob } from './render-job.js';

/** `phaseline status JOB`: shows the current state of a job. The exit code does not depend on the job's status. */
export async function status(context: CommandContext, given: string): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const job = await client.get(jobId, { signal });
  if (out.isStructured) out.writeDocument(job);
  else out.writeLines(...renderJob(job, { paint: out.paint, now: context.now() }));
  return exitCode.ok;
}
