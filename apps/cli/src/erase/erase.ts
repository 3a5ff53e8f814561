import { createInterface } from 'node:readline';
import type { JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { renderErased } from './render-erased.js';

export interface EraseOptions {
  readonly reason?: string;
  readonly yes?: boolean;
}

/** `phaseline erase JOB`: permanently destroys the content of an encrypted job, after confirmation. */
export async function erase(context: CommandContext, given: string, options: EraseOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  if (!options.yes && !(await confirm(context, jobId))) {
    signal.throwIfAborted();
    out.writeMessage('Nothing was erased.');
    return exitCode.refused;
  }
  const response = await client.erase(jobId, { reason: options.reason }, { signal });
  if (out.isStructured) out.writeDocument(response);
  else out.writeLines(...renderErased(response));
  return exitCode.ok;
}

async function confirm({ input, out, signal }: CommandContext, jobId: JobId): Promise<boolean> {
  const isInteractive = (input as NodeJS.ReadStream).isTTY === true;
  if (!isInteractive || out.isStructured)
    throw new UsageError(
      `This cannot be undone, and standard input is not a terminal. Give --yes to erase job ${jobId}.`,
    );
  out.writeMessage(
    `This permanently erases the content of job ${jobId}: task, documents, conversation, tool calls, files, results.`,
    'The log still records that the job existed, who submitted it, its course and its cost, and still verifies.',
    'Copies in database backups are not erased.',
    'Type yes to erase it:',
  );
  const lines = createInterface({ input, signal });
  try {
    for await (const line of lines) return line.trim().toLowerCase() === 'yes';
    return false;
  } finally {
    lines.close();
  }
}
