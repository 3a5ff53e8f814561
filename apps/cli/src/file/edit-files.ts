import { buffer } from 'node:stream/consumers';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { DocumentUnusable } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { toPrintable } from '../output/printable.js';
import { parseWorkspacePath } from './parse-workspace-path.js';

export interface DeleteOptions {
  readonly ifMatch?: string;
  readonly reason?: string;
}

export interface PutOptions extends DeleteOptions {
  readonly from?: string;
  readonly executable?: boolean;
  readonly new?: boolean;
}

/** `phaseline files put JOB PATH`: writes a file of a job, from a local file or standard input. */
export async function putFile(
  context: CommandContext,
  given: string,
  path: string,
  { from, executable, new: isNew, ifMatch, reason }: PutOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const workspacePath = parseWorkspacePath(path);
  const content = await readContent(context, from);
  const { client, jobId } = await connectToJob(context, given);
  const response = await client.writeFile(jobId, workspacePath, content, {
    reason,
    ifMatch,
    signal,
    ...(isNew === true ? { isNew } : {}),
    ...(executable === true ? { mode: 'executable' } : {}),
  });
  if (out.isStructured) out.writeDocument({ ...response, path: workspacePath });
  else
    out.writeLines(
      response.changed
        ? `${toPrintable(workspacePath)} written (${content.byteLength} bytes).`
        : `${toPrintable(workspacePath)} has this content already.`,
    );
  return exitCode.ok;
}

/** `phaseline files delete JOB PATH`: deletes a file of a job. Its content stays in the history. */
export async function deleteFile(
  context: CommandContext,
  given: string,
  path: string,
  { ifMatch, reason }: DeleteOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const workspacePath = parseWorkspacePath(path);
  const { client, jobId } = await connectToJob(context, given);
  const response = await client.deleteFile(jobId, workspacePath, { reason, ifMatch, signal });
  if (out.isStructured) out.writeDocument({ ...response, path: workspacePath });
  else out.writeLines(`${toPrintable(workspacePath)} deleted.`);
  return exitCode.ok;
}

async function readContent(
  { input, currentDirectory }: CommandContext,
  from: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (from === undefined) return new Uint8Array(await buffer(input));
  try {
    return new Uint8Array(await readFile(resolve(currentDirectory, from)));
  } catch (cause) {
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    throw new DocumentUnusable(`${from} cannot be read: ${code}.`, { cause });
  }
}
