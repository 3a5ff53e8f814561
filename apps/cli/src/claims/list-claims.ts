import type { Claim } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { renderClaims } from './render-claims.js';

/** `phaseline claims JOB`: lists what the agent said is done, and what became of it. */
export async function listClaims(context: CommandContext, given: string): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const items: Claim[] = [];
  for await (const claim of client.claims(jobId, {}, { signal })) items.push(claim);
  if (out.isStructured) out.writeDocument({ jobId, items });
  else out.writeLines(...renderClaims(items, out.paint, out.columns));
  return exitCode.ok;
}
