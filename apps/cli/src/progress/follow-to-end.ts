import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { renderOutcome } from '../job/render-job.js';
import { followJob } from './follow-job.js';

/** Follows a job that was just created to its end, and shows its result. The exit code is that of its status. */
export async function followToEnd(context: CommandContext, client: PhaselineClient, jobId: JobId): Promise<ExitCode> {
  const { out, signal } = context;
  if (out.isStructured) {
    const job = await client.wait(jobId, { signal });
    out.writeDocument(job);
    return exitCodeOfStatus(job.status);
  }
  await followJob(client, jobId, context);
  const job = await client.get(jobId, { signal });
  out.writeLines(...renderOutcome(job, out.paint));
  return exitCodeOfStatus(job.status);
}
