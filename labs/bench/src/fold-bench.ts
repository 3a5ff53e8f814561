import type { JobId } from '@phaseline/contracts';
import { phaseStream } from '@phaseline/domain';
import { createPool, EventStore, type RecordedEvent } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { BenchFailed } from './bench-failed.js';

export interface FoldFigures {
  readonly events: number;
  readonly readPerSecond: number;
  readonly replayedPerSecond: number;
}

const ROUNDS = 20;
/** A process that folds for the first time spends most of its time in the compiler. */
const WARM_UP_MS = 3_000;

/**
 * Measures how fast a phase is restored: reading its whole events from PostgreSQL, and loading it like a process that has not cached it,
 * which reads, decodes and folds them. The phase comes from the step benchmark, so its events are real.
 */
async function measureFolds(store: EventStore, jobId: JobId): Promise<FoldFigures> {
  const streamId = phaseStream(jobId, 1);
  let events: readonly RecordedEvent[] = await store.read(streamId);
  if (events.at(-1)?.type !== 'PhaseCompleted') throw new BenchFailed(`the phase ${streamId} did not complete`);
  const loadPhase = async (): Promise<void> => {
    const phase = await new JobRepository(store).loadPhase(jobId, 1);
    if (phase?.version !== events.length) throw new Error('the phase did not fold');
  };
  for (const warm = performance.now() + WARM_UP_MS; performance.now() < warm;) await loadPhase();
  for (let round = 0; round < ROUNDS; round += 1) await store.read(streamId);
  let started = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) events = await store.read(streamId);
  const readPerSecond = (events.length * ROUNDS * 1_000) / (performance.now() - started);
  started = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) await loadPhase();
  return {
    events: events.length,
    readPerSecond,
    replayedPerSecond: (events.length * ROUNDS * 1_000) / (performance.now() - started),
  };
}

/** Measures the longest phase of the log. */
export async function measureFoldOfLongestPhase(databaseUrl: string): Promise<FoldFigures> {
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'bench' });
  try {
    const { rows } = await pool.query<{ correlation_id: JobId }>(
      "SELECT correlation_id FROM phaseline.streams WHERE stream_id LIKE 'phase-%' ORDER BY version DESC LIMIT 1",
    );
    if (!rows[0]) throw new BenchFailed('the log contains no phase');
    return await measureFolds(new EventStore(pool), rows[0].correlation_id);
  } finally {
    await pool.end();
  }
}
