import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { noteBeyondEnd } from '../connection/note-beyond-end.js';
import { renderState } from './render-state.js';

/** `phaseline state JOB [--at N]`: shows a job, its todos, files and usage as of position N. */
export async function showState(
  context: CommandContext,
  given: string,
  options: { readonly at?: number },
): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const state = await client.state(jobId, { ...options, signal });
  await noteBeyondEnd(context, client, jobId, options.at);
  if (out.isStructured) out.writeDocument(state);
  else out.writeLines(...renderState(state, out.paint));
  return exitCode.ok;
}
