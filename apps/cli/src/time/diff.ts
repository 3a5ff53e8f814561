import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { renderDiff } from './render-change.js';

export interface DiffOptions {
  readonly from: number;
  readonly to?: number;
  readonly patches?: boolean;
}

/** `phaseline diff JOB --from N [--to M] [--patches]`: shows what changed in a job between two positions in the log. */
export async function diff(context: CommandContext, given: string, options: DiffOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const changes = await client.diff(jobId, { ...options, signal });
  if (out.isStructured) out.writeDocument(changes);
  else out.writeLines(...renderDiff(changes, out.paint));
  return exitCode.ok;
}
