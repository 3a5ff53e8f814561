import { FileNotFound, type ExplanationResponse, type PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { noteBeyondEnd } from '../connection/note-beyond-end.js';
import { parseWorkspacePath } from '../file/parse-workspace-path.js';
import { renderLine, renderRanges } from './render-explanation.js';

export interface ExplainCommandOptions {
  readonly at?: number;
}

/** `phaseline explain JOB FILE[:LINE]`: shows who wrote each line of a file, or all that is known about one line. */
export async function explain(
  context: CommandContext,
  given: string,
  file: string,
  { at }: ExplainCommandOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const target = parseTarget(file);
  const { client, jobId } = await connectToJob(context, given);
  const explanation = await request(client, jobId, target, { at, signal });
  await noteBeyondEnd(context, client, jobId, at);
  if (out.isStructured) out.writeDocument(explanation);
  else if (explanation.text === undefined) out.writeLines(...renderRanges(explanation, out.paint, out.columns));
  else out.writeLines(...renderLine(explanation, out.paint));
  return exitCode.ok;
}

interface Target {
  readonly path: string;
  readonly line?: number;
}

/** Splits `output/a.md:7` into path and line. Throws UsageError for a line that is not a number from 1. */
function parseTarget(file: string): Target {
  const [, path, line] = /^(.+):(\d+)$/.exec(file) ?? [];
  if (path === undefined) return { path: parseWorkspacePath(file) };
  if (!/^[1-9]\d{0,8}$/.test(line!))
    throw new UsageError(`${line} is not the number of a line. Lines are counted from 1, such as ${path}:1.`);
  return { path: parseWorkspacePath(path), line: Number(line) };
}

/** The name of a file may end like a line: `notes:7` is the file of this name if there is no file `notes`. */
async function request(
  client: PhaselineClient,
  jobId: JobId,
  { path, line }: Target,
  options: { readonly at: number | undefined; readonly signal: AbortSignal },
): Promise<ExplanationResponse> {
  try {
    return await client.explain(jobId, path, { line, ...options });
  } catch (error) {
    if (!(error instanceof FileNotFound) || line === undefined) throw error;
    return client.explain(jobId, `${path}:${line}`, options).catch(() => {
      throw error;
    });
  }
}
