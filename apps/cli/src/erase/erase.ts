import { createInterface } from 'node:readline';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { actorOf } from '../control/actor.js';
import { renderErased } from './render-erased.js';

export interface EraseOptions {
  readonly reason?: string;
  readonly yes?: boolean;
}

/** `phaseline erase JOB`: destroys what an encrypted job held, after asking, since nothing brings it back. */
export async function erase(context: CommandContext, given: string, options: EraseOptions): Promise<ExitCode> {
  const { out, signal, env } = context;
  const client = await connect(context);
  const jobId = await findJob(client, given, signal);
  if (!options.yes && !(await confirmed(context, jobId))) {
    signal.throwIfAborted();
    out.say('Nothing was erased.');
    return exitCode.refused;
  }
  const answer = await client.erase(
    jobId,
    { actor: actorOf(env), ...(options.reason === undefined ? {} : { reason: options.reason }) },
    { signal },
  );
  if (out.json) out.document(answer);
  else out.lines(...renderErased(answer));
  return exitCode.ok;
}

async function confirmed({ input, out, signal }: CommandContext, jobId: string): Promise<boolean> {
  const terminal = (input as NodeJS.ReadStream).isTTY === true;
  if (!terminal || out.json)
    throw new UsageError(`This cannot be undone, and there is nobody to ask. Say --yes to erase job ${jobId}.`);
  out.say(
    `Erases what job ${jobId} held, for good: task, documents, conversation, tool calls, files, results.`,
    'The log keeps that the job was, who asked for it, how it went and what it cost, and still verifies.',
    'Copies in database backups are not reached.',
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
