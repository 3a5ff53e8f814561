import type { JobId } from '@phaseline/contracts';
import { decodePhaseEvent, foldPhase, phaseStream, type PhaseEvent } from '@phaseline/domain';
import { EventStore, type RecordedEvent } from '@phaseline/event-store';
import { BenchFailed } from './bench-failed.js';

export interface FoldFigures {
  readonly events: number;
  readonly readPerSecond: number;
  readonly replayedPerSecond: number;
}

const ROUNDS = 20;

/**
 * Measures how fast a phase is restored: reading its events from PostgreSQL, and reading, decoding and folding them. The phase comes
 * from the step benchmark, so its events are real.
 */
export async function measureFolds(store: EventStore, jobId: JobId): Promise<FoldFigures> {
  const streamId = phaseStream(jobId, 1);
  let events: readonly RecordedEvent[] = await store.read(streamId);
  if (events.at(-1)?.type !== 'PhaseCompleted') throw new BenchFailed(`the phase ${streamId} did not complete`);
  let started = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) events = await store.read(streamId);
  const readPerSecond = (events.length * ROUNDS * 1_000) / (performance.now() - started);
  started = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) {
    const decoded: PhaseEvent[] = (await store.read(streamId)).map(decodePhaseEvent);
    if (!foldPhase(decoded)) throw new Error('the phase did not fold');
  }
  return {
    events: events.length,
    readPerSecond,
    replayedPerSecond: (events.length * ROUNDS * 1_000) / (performance.now() - started),
  };
}
