import type { JobId } from '@phaseline/contracts';
import { jobStream, phaseStream, getSchemaVersion, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import type { EventStore, NewEvent, StreamAppend } from '@phaseline/event-store';
import { generateJob, type ScriptedCommit } from './job-script.js';
import { SeededRandom } from '@phaseline/testing';
import { planFiles } from './plan-events.js';

export interface GenerateLogOptions {
  readonly store: EventStore;
  /** Minimum number of events to append. Jobs that are running at that point stay unfinished. */
  readonly events: number;
  /** The same seed produces the same jobs; default 1. */
  readonly seed?: number;
  /** Jobs running at the same time, so that their events interleave as in a busy system; default 64. */
  readonly jobsAtOnce?: number;
  /**
   * Source of randomness, instead of the seed. Pass the same one to fill a log in parts: two sources with different seeds may produce
   * the same ids.
   */
  readonly random?: SeededRandom;
  /** Called after each append with the number of events appended by this call. */
  readonly onProgress?: (events: number) => void;
}

export interface GeneratedLog {
  readonly events: number;
  readonly appends: number;
  readonly jobs: number;
  readonly seconds: number;
}

/**
 * Fills a log with realistic concurrent jobs through the ordinary append, so that hashes, versions, positions and shared commits are
 * like those of a real system. Reaches some tens of thousands of events per second.
 *
 * ```ts
 * await generateLog({ store: new EventStore(pool), events: 1_000_000 });
 * ```
 */
export async function generateLog(options: GenerateLogOptions): Promise<GeneratedLog> {
  const { store, events: minEvents, seed = 1, jobsAtOnce = 64, random = new SeededRandom(seed), onProgress } = options;
  const began = performance.now();
  for (const file of planFiles) await store.blobs.put(file);
  const totals = { events: 0, appends: 0, jobs: 0 };
  const appendJobs = async (): Promise<void> => {
    while (totals.events < minEvents) {
      const jobId = random.uuid();
      totals.jobs += 1;
      const versions = new Map<string, number>();
      for (const commit of generateJob({ jobId, random })) {
        const appends = toStreamAppends(jobId, commit, versions, random);
        await store.append(appends);
        totals.appends += 1;
        for (const { events } of appends) totals.events += events.length;
        onProgress?.(totals.events);
        if (totals.events >= minEvents) return;
      }
    }
  };
  await Promise.all(Array.from({ length: jobsAtOnce }, appendJobs));
  return { ...totals, seconds: (performance.now() - began) / 1_000 };
}

/** Converts a commit to stream appends and updates `versions`, the current version of each stream of the job. */
export function toStreamAppends(
  jobId: JobId,
  commit: ScriptedCommit,
  versions: Map<string, number>,
  random: SeededRandom,
): StreamAppend[] {
  const { phase, jobEvents, phaseEvents, closesJob = false, closesPhase = false } = commit;
  const parts: readonly [string, readonly (JobEvent | PhaseEvent)[], boolean][] = [
    [jobStream(jobId), jobEvents, closesJob],
    [phaseStream(jobId, Math.max(1, phase)), phaseEvents, closesPhase],
  ];
  return parts.flatMap(([streamId, events, closesStream]) => {
    if (events.length === 0) return [];
    const expectedVersion = versions.get(streamId) ?? 0;
    versions.set(streamId, expectedVersion + events.length);
    return {
      streamId,
      correlationId: jobId,
      expectedVersion,
      events: events.map((event) => newEvent(event, random)),
      closesStream,
    };
  });
}

function newEvent({ type, data }: JobEvent | PhaseEvent, random: SeededRandom): NewEvent {
  return {
    eventId: random.uuid(),
    type,
    schemaVersion: getSchemaVersion(type),
    data: data as NewEvent['data'],
    metadata: { actor: { id: 'bench', kind: 'process' }, causationId: '0190a0b0-0000-7000-8000-000000000001' },
  };
}
