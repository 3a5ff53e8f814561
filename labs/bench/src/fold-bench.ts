import type { JobId } from '@phaseline/contracts';
import { phaseStream } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { BenchFailed } from './bench-failed.js';
import type { ProfileGroup } from './profile/group-profile.js';
import { saveProfile } from './profile/save-profile.js';

/*
 * Measures how fast a phase is restored, first only reading it, then with its fold. The phase comes from the step benchmark, so its events
 * are real.
 *
 * Options: a folder for a profile.
 */

export interface FoldFigures {
  /** Events of the phase. */
  readonly events: number;
  /** Reading the phase in the pages that a fold reads, and parsing their JSON. */
  readonly pages: FoldRate;
  /** Loading the phase like a process that has not cached it: the same, and decoding and folding the events. */
  readonly state: FoldRate;
  /** Self times of this process per event while it loads the phase, in microseconds. */
  readonly profile?: readonly ProfileGroup[];
}

interface FoldRate {
  readonly perSecond: number;
  /** Processor time of this process per event, in microseconds. PostgreSQL works at the same time. */
  readonly nodeMicros: number;
}

interface FoldOptions {
  /** Folder for a `.cpuprofile`; without it, nothing is profiled. */
  readonly profileFolder?: string | undefined;
}

const ROUNDS = 60;
/** A process that folds for the first time spends most of its time in the compiler. */
const WARM_UP_MS = 3_000;

/** Measures the longest phase of the log. */
export async function measureFoldOfLongestPhase(databaseUrl: string, options: FoldOptions = {}): Promise<FoldFigures> {
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'bench' });
  try {
    const { rows } = await pool.query<{ correlation_id: JobId }>(
      "SELECT correlation_id FROM phaseline.streams WHERE stream_id LIKE 'phase-%' ORDER BY version DESC LIMIT 1",
    );
    if (!rows[0]) throw new BenchFailed('the log contains no phase');
    return await measureFolds(new EventStore(pool), rows[0].correlation_id, options);
  } finally {
    await pool.end();
  }
}

async function measureFolds(store: EventStore, jobId: JobId, { profileFolder }: FoldOptions): Promise<FoldFigures> {
  const streamId = phaseStream(jobId, 1);
  const recorded = await store.read(streamId);
  if (recorded.at(-1)?.type !== 'PhaseCompleted') throw new BenchFailed(`the phase ${streamId} did not complete`);
  const events = recorded.length;
  const readPages = async (): Promise<number> => {
    let read = 0;
    for await (const page of store.iteratePages(streamId)) read += page.length;
    return read;
  };
  const loadPhase = async (): Promise<number> => (await new JobRepository(store).loadPhase(jobId, 1))?.version ?? 0;
  const repeat = (run: () => Promise<number>) => async (): Promise<number> => {
    for (let round = 0; round < ROUNDS; round += 1)
      if ((await run()) !== events) throw new BenchFailed('an event is missing in what was read');
    return events * ROUNDS;
  };
  for (const warm = performance.now() + WARM_UP_MS; performance.now() < warm;) await loadPhase();
  const pages = await measureRate(repeat(readPages));
  const state = await measureRate(repeat(loadPhase));
  if (profileFolder === undefined) return { events, pages, state };
  return {
    events,
    pages,
    state,
    profile: await saveProfile(repeat(loadPhase), { folder: profileFolder, name: 'fold' }),
  };
}

/** Measures a run that returns the number of its events. */
async function measureRate(run: () => Promise<number>): Promise<FoldRate> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const events = await run();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (events * 1_000) / ms, nodeMicros: (user + system) / events };
}
