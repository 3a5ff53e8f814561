import { resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { NoSuchFile } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { noteBeyondEnd } from '../connection/note-beyond-end.js';
import { toPrintable } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';
import { parseWorkspacePath } from './parse-workspace-path.js';
import { pullFiles } from './pull-files.js';
import { renderFiles } from './render-files.js';

/** Larger files are streamed to disk. */
const MAX_IN_MEMORY_BYTES = 8 * 1024 * 1024;

export interface AtOptions {
  readonly at?: number;
}

export interface PullOptions extends AtOptions {
  readonly out?: string;
  readonly force?: boolean;
}

/** `phaseline files list JOB`: lists the files in the workspace of a job. */
export async function listFiles(context: CommandContext, given: string, { at }: AtOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const files = await client.files(jobId, { at, signal });
  await noteBeyondEnd(context, client, jobId, at);
  if (out.isStructured) out.writeDocument({ jobId, items: files });
  else if (files.length === 0) out.writeMessage('The workspace is empty.');
  else out.writeLines(...renderFiles(files, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}

/** `phaseline files cat JOB PATH`: writes the exact bytes, except that control characters are made visible on a terminal. */
export async function catFile(
  context: CommandContext,
  given: string,
  path: string,
  { at }: AtOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const workspacePath = parseWorkspacePath(path);
  const { client, jobId } = await connectToJob(context, given);
  const content = await client.readFile(jobId, workspacePath, { at, signal });
  await noteBeyondEnd(context, client, jobId, at);
  if (out.isStructured)
    out.writeDocument({
      jobId,
      path: workspacePath,
      size: content.length,
      contentBase64: Buffer.from(content).toString('base64'),
    });
  else out.writeFile(content);
  return exitCode.ok;
}

/** `phaseline files pull JOB [PATH…]`: copies the files of a job, or those under the given paths, to a local folder. */
export async function pull(
  context: CommandContext,
  given: string,
  paths: readonly string[],
  options: PullOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const wanted = paths.map(parseWorkspacePath);
  const { client, jobId } = await connectToJob(context, given);
  const all = await client.files(jobId, { at: options.at, signal });
  await noteBeyondEnd(context, client, jobId, options.at);
  const files =
    wanted.length === 0
      ? all
      : all.filter(({ path }) => wanted.some((one) => path === one || path.startsWith(`${one}/`)));
  for (const one of wanted) {
    if (!files.some(({ path }) => path === one || path.startsWith(`${one}/`))) {
      throw new NoSuchFile(
        `The job has no file or folder ${toPrintable(one)}. List its files with: phaseline files list ${jobId}`,
      );
    }
  }
  const folder = resolve(context.currentDirectory, options.out ?? `job_${jobId}`);
  const pulled = await pullFiles(files, {
    folder,
    force: options.force === true,
    read: (path, size) =>
      size > MAX_IN_MEMORY_BYTES
        ? client.streamFile(jobId, path, { at: options.at, signal })
        : client.readFile(jobId, path, { at: options.at, signal }),
    signal,
  });
  if (out.isStructured) {
    out.writeDocument({ jobId, folder, items: pulled });
    return exitCode.ok;
  }
  const written = pulled.filter((file) => file.outcome !== 'unchanged').length;
  const unchanged = pulled.length - written;
  out.writeLines(
    `${pluralise(written, 'file')} written to ${folder}${unchanged > 0 ? `, ${unchanged} unchanged` : ''}.`,
  );
  return exitCode.ok;
}
