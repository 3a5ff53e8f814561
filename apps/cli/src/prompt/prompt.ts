import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { renderModelCalls, renderPrompt } from './render-prompt.js';

export interface PromptOptions {
  readonly phase: number;
  readonly step?: number;
  readonly attempt?: number;
  readonly messages?: boolean;
}

/**
 * `phaseline prompt JOB --phase N [--step M]`: prints the request of a model call, or lists the calls of the phase. Fails when the
 * rebuilt request is not the one that was sent, so that a script cannot mistake one for the other.
 */
export async function prompt(context: CommandContext, given: string, options: PromptOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { phase, step, attempt, messages = false } = options;
  const { client, jobId } = await connectToJob(context, given);
  if (step === undefined) {
    const calls = await client.modelCalls(jobId, phase, { signal });
    if (out.isStructured) out.writeDocument({ jobId, phase, items: calls });
    else out.writeLines(...renderModelCalls(calls, out.paint));
    return exitCode.ok;
  }
  const found = await client.prompt(jobId, phase, step, { attempt, signal });
  if (out.isStructured)
    out.writeDocument(messages ? { ...found, request: { messages: found.request.messages } } : found);
  else out.writeLines(...renderPrompt(found, messages, out.paint));
  return found.isExact ? exitCode.ok : exitCode.failed;
}
