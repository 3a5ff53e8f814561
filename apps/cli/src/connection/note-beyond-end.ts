import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';

/** Prints a note if the job has no event at or after the requested position, in which case its latest state is shown. */
export async function noteBeyondEnd(
  { out, signal }: CommandContext,
  client: PhaselineClient,
  jobId: JobId,
  at: number | undefined,
): Promise<void> {
  if (at === undefined) return;
  const { items } = await client.eventPage(jobId, { after: at - 1, limit: 1 }, { signal });
  if (items.length === 0)
    out.writeMessage(`The job has no event at or after position ${at}. This is its latest state.`);
}
