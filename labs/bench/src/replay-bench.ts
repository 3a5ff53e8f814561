import { jobStream, phaseStream } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { TimeTravel } from '@phaseline/time-travel';
import { appendLongJob, percentile, SeededRandom } from '@phaseline/harness';

/*
 * Measures how long it takes to read the state of a long job at a random position with a cold reader, with and without snapshots.
 * Two shapes of job with the same number of events: many phases, and one phase that has not ended.
 *
 * Options: events, points.
 */

export interface ReplayRow {
  readonly shape: string;
  readonly events: number;
  readonly snapshots: number;
  readonly snapshotMiB: number;
  /** Time to take all snapshots, in milliseconds. */
  readonly takenMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Median without snapshots, from a few points only. */
  readonly withoutP50Ms: number;
  /** Time to fold the complete last phase with its conversation, as a worker that takes it over does. */
  readonly wholePhaseMs: number;
}

export async function measureReplay(options: {
  readonly databaseUrl: string;
  readonly events: number;
  readonly points: number;
}): Promise<ReplayRow[]> {
  const { events } = options;
  const pool = createPool(options.databaseUrl, { max: 4, applicationName: 'bench' });
  try {
    const phases = Math.max(1, Math.round(events / 1_000));
    return [
      await measure(
        pool,
        `${phases} phases of ${Math.round(events / phases)}`,
        { phases, perPhase: events / phases },
        options.points,
      ),
      await measure(pool, 'one open phase', { phases: 1, perPhase: events }, options.points),
    ];
  } finally {
    await pool.end();
  }
}

async function measure(
  pool: ReturnType<typeof createPool>,
  shape: string,
  { phases, perPhase }: { readonly phases: number; readonly perPhase: number },
  points: number,
): Promise<ReplayRow> {
  const store = new EventStore(pool);
  const jobId = await appendLongJob(store, { phases, eventsPerPhase: perPhase, ends: phases > 1 });
  const { rows: span } = await pool.query<{ first: string; last: string; count: string }>(
    'SELECT min(position) AS first, max(position) AS last, count(*) FROM phaseline.events WHERE correlation_id = $1',
    [jobId],
  );
  const [first, last] = [Number(span[0]!.first), Number(span[0]!.last)];
  const { folds, snapshots } = new TimeTravel(store, pool);
  let started = performance.now();
  // Like the orchestrator: snapshots of the phase and of the job whenever a phase has ended, otherwise at a fixed number of events.
  for (let phase = 1; phase <= phases; phase += 1) {
    await folds.storeSnapshots(phaseStream(jobId, phase), Number.MAX_SAFE_INTEGER);
    await folds.storeSnapshots(jobStream(jobId), 1 + 2 * phase);
  }
  const takenMs = performance.now() - started;
  const { rows } = await pool.query<{ count: string; bytes: string }>(
    `SELECT count(*), coalesce(sum(octet_length(state::text)), 0) AS bytes FROM phaseline.snapshots WHERE stream_id LIKE '%' || $1 || '%'`,
    [jobId],
  );
  const random = new SeededRandom(7);
  const measureOnce = async (withSnapshots: boolean): Promise<number> => {
    const travel = new TimeTravel(store, pool, { snapshots: withSnapshots });
    const at = random.between(first, last);
    const began = performance.now();
    if (!(await travel.at(jobId, at))) throw new Error(`the job does not exist at position ${at}`);
    return performance.now() - began;
  };
  const times: number[] = [];
  for (let point = 0; point < points; point += 1) times.push(await measureOnce(true));
  const timesWithoutSnapshots: number[] = [];
  for (let point = 0; point < 7; point += 1) timesWithoutSnapshots.push(await measureOnce(false));
  started = performance.now();
  await new JobRepository(store).loadPhase(jobId, phases);
  const wholePhaseMs = performance.now() - started;
  await snapshots.deleteAll(jobId);
  return {
    shape,
    events: Number(span[0]!.count),
    snapshots: Number(rows[0]!.count),
    snapshotMiB: Number(rows[0]!.bytes) / 2 ** 20,
    takenMs,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    maxMs: percentile(times, 1),
    withoutP50Ms: percentile(timesWithoutSnapshots, 0.5),
    wholePhaseMs,
  };
}
