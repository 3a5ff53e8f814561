import { createInterface } from 'node:readline';
import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import type { SeenJob } from './seen-job.js';
import type { BulkAction } from './send-request.js';

/** Number of jobs that the question names. */
const MAX_SHOWN = 5;

/**
 * Asks on a terminal whether a request should go to these jobs. Without a terminal, jobs that were selected by a filter need
 * `--yes`: nobody has seen them.
 */
export async function confirmJobs(
  { input, out, signal }: CommandContext,
  action: BulkAction,
  jobs: readonly SeenJob[],
  isFiltered: boolean,
): Promise<boolean> {
  const isInteractive = (input as NodeJS.ReadStream).isTTY === true && !out.isStructured;
  if (!isInteractive) {
    if (!isFiltered) return true;
    throw new UsageError(
      `The filter selects ${jobs.length} jobs, and nobody can be asked. Look at them with --dry-run, then give --yes to ${action} them.`,
    );
  }
  out.writeMessage(
    ...jobs.slice(0, MAX_SHOWN).map(({ jobId, agent = '', status = '' }) => `${jobId}  ${agent}  ${status}`.trimEnd()),
    ...(jobs.length > MAX_SHOWN ? [`… and ${jobs.length - MAX_SHOWN} more`] : []),
    `Type yes to ${action} ${jobs.length === 1 ? 'this job' : `these ${jobs.length} jobs`}:`,
  );
  const lines = createInterface({ input, signal });
  try {
    for await (const line of lines) return line.trim().toLowerCase() === 'yes';
    return false;
  } finally {
    lines.close();
  }
}
