import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { barColumns, renderTimeline } from './render-timeline.js';

export interface TimelineOptions {
  /** ISO times. */
  readonly from?: string;
  readonly to?: string;
  /** Number of columns of the drawing. */
  readonly width?: number;
}

/** Width assumed if standard output is not a terminal. */
const DEFAULT_COLUMNS = 120;
/** Columns of the data with `--json`. */
const DATA_COLUMNS = 800;

/** `phaseline timeline JOB`: draws what the phases of a job did when, and what they waited for. */
export async function showTimeline(
  context: CommandContext,
  given: string,
  options: TimelineOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const columns = options.width ?? barColumns(out.columns ?? DEFAULT_COLUMNS);
  const width = options.width ?? (out.isStructured ? DATA_COLUMNS : columns);
  const timeline = await client.timeline(jobId, { from: options.from, to: options.to, width }, { signal });
  if (out.isStructured) {
    out.writeDocument({ jobId, ...timeline });
    return exitCode.ok;
  }
  if (timeline.phases.length === 0) out.writeMessage('The job has no phase in this time.');
  else out.writeLines(...renderTimeline(timeline, columns, out.paint));
  if (timeline.isTruncated)
    out.writeMessage(`Earlier phases are left out. Show them with --to ${timeline.phases[0]?.start ?? timeline.from}.`);
  return exitCode.ok;
}
