import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { FilesExist } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { startProgress, type Progress } from '../output/start-progress.js';
import { formatBytes } from '../output/quantities.js';

export interface DownloadOptions {
  readonly out: string;
  readonly withFiles?: boolean;
}

/** `phaseline audit download JOB`: stores the export of a job that the server makes. The file exists only if it is complete. */
export async function downloadExport(
  context: CommandContext,
  given: string,
  { out: name, withFiles = false }: DownloadOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const path = resolve(context.currentDirectory, name);
  if (await stat(path).catch(() => undefined))
    throw new FilesExist(`${path} exists. Remove it, or choose another name with --out.`);
  const { client, jobId } = await connectToJob(context, given);
  const progress = startProgress(context);
  let bytes: number;
  try {
    bytes = await writeAll(await client.audit.exportJob(jobId, { withFiles, signal }), path, progress);
  } finally {
    progress.end();
  }
  if (out.isStructured) out.writeDocument({ jobId, file: path, bytes });
  else
    out.writeLines(
      `${path} (${formatBytes(bytes)})`,
      'Unpack it with tar -xzf, and verify it with: phaseline audit verify --export FOLDER',
    );
  return exitCode.ok;
}

/** Writes a stream to a new file. Returns its bytes. */
async function writeAll(stream: ReadableStream<Uint8Array>, path: string, progress: Progress): Promise<number> {
  // A name of its own, so that two downloads at the same time do not write to the same file.
  const partial = `${path}.${randomUUID().slice(0, 8)}.partial`;
  let bytes = 0;
  try {
    const file = await open(partial, 'wx', 0o600);
    try {
      for await (const piece of stream) {
        await file.appendFile(piece);
        bytes += piece.byteLength;
        progress.report(`${formatBytes(bytes)} received`);
      }
    } finally {
      await file.close();
    }
    await rename(partial, path);
    return bytes;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
