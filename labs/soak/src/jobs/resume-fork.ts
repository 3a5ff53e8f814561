import type { JobId } from '@phaseline/contracts';
import { countEndedJobs } from './count-ended-jobs.js';
import type { PhasedJob } from './phased-job.js';
import { RunFailed } from './run-failed.js';
import type { StepCounter } from './step-counter.js';
import { waitForCount } from './wait-for-count.js';
import type { StackRun } from './with-stack.js';

export interface Resumption {
  /** Milliseconds until the fork was accepted over HTTP. */
  readonly forkMs: number;
  /** Times that a worker took the phase of the fork over. */
  readonly takeovers: number;
  /** Seconds from the kill to the next answer of the model in the log. */
  readonly resumeSeconds: number;
}

/**
 * Forks the job at the first step of its last phase, kills the tactical-worker in the middle of the phase, and waits until the fork has ended.
 * Throws `RunFailed` if it did not complete, or was not taken over.
 */
export async function resumeFork(
  { stack, pool }: StackRun,
  options: {
    readonly jobId: JobId;
    readonly job: PhasedJob;
    readonly counter: StepCounter;
    readonly note: (line: string) => void;
  },
): Promise<Resumption> {
  const { jobId, job, counter, note } = options;
  const { rows: found } = await pool.query<{ position: number }>(
    `SELECT min(position)::float8 AS position FROM phaseline.events
     WHERE stream_id = $1 AND type = 'ModelResponded'`,
    [`phase-${jobId}-${job.phases}`],
  );
  const half = counter.waitForMore(Math.floor(job.stepsPerPhase / 2));
  const began = performance.now();
  const fork = await stack.client.fork(jobId, { position: found[0]!.position });
  const forkMs = performance.now() - began;
  const ended = waitForCount({ what: 'jobs ended', target: 2, read: () => countEndedJobs(stack.client), note });
  await Promise.race([half, ended]);
  note('killing the tactical-worker while the fork works');
  const { rows: clock } = await pool.query<{ at: string }>('SELECT clock_timestamp()::text AS at');
  stack.kill('tactical-worker');
  await ended;
  const { rows } = await pool.query<{ completed: number; takeovers: number; seconds: number | null }>(
    `SELECT (count(*) FILTER (WHERE type = 'JobCompleted'))::int AS completed,
            (count(*) FILTER (WHERE type = 'PhaseTakenOver'))::int AS takeovers,
            extract(epoch FROM min(recorded_at) FILTER (WHERE type = 'ModelResponded' AND recorded_at > $2::timestamptz) - $2::timestamptz)::float8 AS seconds
     FROM phaseline.events WHERE correlation_id = $1`,
    [fork.jobId, clock[0]!.at],
  );
  const { completed, takeovers, seconds } = rows[0]!;
  if (completed !== 1) throw new RunFailed('the fork did not complete');
  if (takeovers === 0 || seconds === null) throw new RunFailed('no worker took the fork over after the kill');
  return { forkMs, takeovers, resumeSeconds: seconds };
}
