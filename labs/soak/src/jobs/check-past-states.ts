import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { createPool } from '@phaseline/event-store';
import type { SeededRandom } from '@phaseline/harness';
import { RunFailed } from './run-failed.js';
import { summariseDurations, type Spread } from './spread.js';

export interface PastStates {
  readonly count: number;
  /** Milliseconds per request over HTTP. */
  readonly readMs: Spread;
}

/**
 * Reads the state of a job at random positions over HTTP. Throws `RunFailed` if one was not folded up to its position, or does not have the
 * phases that the log has by then.
 */
export async function checkPastStates(
  { client, pool }: { readonly client: PhaselineClient; readonly pool: ReturnType<typeof createPool> },
  { jobId, count, random }: { readonly jobId: JobId; readonly count: number; readonly random: SeededRandom },
): Promise<PastStates> {
  const { rows } = await pool.query<{ position: number; phases: number }>(
    `SELECT position::float8 AS position,
            (count(*) FILTER (WHERE type = 'PhaseDispatched') OVER (ORDER BY position))::int AS phases
     FROM phaseline.events WHERE correlation_id = $1 ORDER BY position`,
    [jobId],
  );
  const durations: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const { position, phases } = random.pick(rows);
    const began = performance.now();
    const state = await client.state(jobId, { at: position });
    durations.push(performance.now() - began);
    if (state.position !== position || state.phases.length !== phases)
      throw new RunFailed(
        `the state at position ${position} has ${state.phases.length} phases at position ${state.position}; the log has ${phases}`,
      );
  }
  return { count, readMs: summariseDurations(durations) };
}
