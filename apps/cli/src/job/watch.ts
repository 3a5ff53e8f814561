import type { CommandContext } from '../command/command-context.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { followJob } from '../progress/follow-job.js';
import { renderOutcome } from './render-job.js';

/** `phaseline watch JOB`: follows a job to its end. The exit code is that of its status. */
export async function watch(context: CommandContext, given: string): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  try {
    await followJob(client, jobId, context);
  } catch (error) {
    if (signal.aborted && !out.closedSignal.aborted)
      out.writeMessage(`Stopped watching; the job continues. Watch it again with: phaseline watch ${jobId}`);
    throw error;
  }
  const job = await client.get(jobId, { signal });
  if (out.isStructured) out.writeRecord({ kind: 'end', job });
  else out.writeLines(...renderOutcome(job, out.paint));
  // An unreadable job makes no progress until a person acts.
  return job.unreadableReason === undefined ? exitCodeOfStatus(job.status) : exitCode.failed;
}
