import { jobStream, phaseStream, schemaVersionOf, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import type { EventStore, NewEvent, StreamAppend } from '@phaseline/event-store';
import { jobScript, type ScriptedCommit } from './job-script.js';
import { SeededRandom } from './seeded-random.js';

export interface GenerateLogOptions {
  readonly store: EventStore;
  /** At least so many are appended; the jobs that have begun by then are left unfinished. */
  readonly events: number;
  /** The same seed gives the same jobs; default 1. */
  readonly seed?: number;
  /** Jobs that live at the same time, so that their events interleave as in a busy system; default 64. */
  readonly jobsAtOnce?: number;
  /** Told after each commit how many events there are. */
  readonly onProgress?: (events: number) => void;
}

export interface GeneratedLog {
  readonly events: number;
  readonly appends: number;
  readonly jobs: number;
  readonly seconds: number;
}

/**
 * Fills a log with realistic jobs, many at once, through the ordinary append: hashes, versions, positions and shared
 * commits are those of a system at work. Some tens of thousands of events a second.
 *
 * ```ts
 * await generateLog({ store: new EventStore(pool), events: 1_000_000 });
 * ```
 */
export async function generateLog(options: GenerateLogOptions): Promise<GeneratedLog> {
  const { store, events: wanted, seed = 1, jobsAtOnce = 64, onProgress } = options;
  const random = new SeededRandom(seed);
  const began = performance.now();
  const done = { events: 0, appends: 0, jobs: 0 };
  const live = async (): Promise<void> => {
    while (done.events < wanted) {
      const jobId = random.uuid();
      done.jobs += 1;
      const versions = new Map<string, number>();
      for (const commit of jobScript({ jobId, random })) {
        const appends = appendsOf(jobId, commit, versions, random);
        await store.append(appends);
        done.appends += 1;
        for (const { events } of appends) done.events += events.length;
        onProgress?.(done.events);
        if (done.events >= wanted) return;
      }
    }
  };
  await Promise.all(Array.from({ length: jobsAtOnce }, live));
  return { ...done, seconds: (performance.now() - began) / 1_000 };
}

/** A commit as the store takes it; `versions` keeps where each stream of the job stands. */
export function appendsOf(
  jobId: string,
  commit: ScriptedCommit,
  versions: Map<string, number>,
  random: SeededRandom,
): StreamAppend[] {
  const { phase, job, inPhase, closesJob = false, closesPhase = false } = commit;
  const parts: readonly [string, readonly (JobEvent | PhaseEvent)[], boolean][] = [
    [jobStream(jobId), job, closesJob],
    [phaseStream(jobId, Math.max(1, phase)), inPhase, closesPhase],
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
    schemaVersion: schemaVersionOf(type),
    data: data as NewEvent['data'],
    metadata: { actor: 'bench', causationId: '0190a0b0-0000-7000-8000-000000000001' },
  };
}
