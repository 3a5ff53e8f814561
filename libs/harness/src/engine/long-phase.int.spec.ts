import type { StreamId } from '@phaseline/contracts';
import { phaseStream } from '@phaseline/domain';
import { createPool, EventStore, type ReadOptions, type RecordedEvent } from '@phaseline/event-store';
import { foldPhaseOutline, JobRepository, Snapshots, StreamFolds } from '@phaseline/repository';
import { createTestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendLongJob } from '../generated/long-job.js';

const EVENTS = 12_000;

/** Notes the size of each read. */
class WatchedStore extends EventStore {
  readonly pages: number[] = [];
  override async read(streamId: StreamId, options?: ReadOptions): Promise<RecordedEvent[]> {
    const events = await super.read(streamId, options);
    this.pages.push(events.length);
    return events;
  }
}

/** Notes how many snapshots each insert contains. */
class WatchedSnapshots extends Snapshots {
  readonly inserts: number[] = [];
  override async store(candidates: Parameters<Snapshots['store']>[0]): Promise<void> {
    this.inserts.push(candidates.length);
    await super.store(candidates);
  }
}

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let jobId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  jobId = await appendLongJob(new EventStore(pool), { phases: 1, eventsPerPhase: EVENTS, ends: false });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('takes snapshots of a long open phase whose size does not grow with it, a few per insert', async () => {
  const snapshots = new WatchedSnapshots(pool);
  const stored = await new StreamFolds(new EventStore(pool), snapshots).storeSnapshots(
    phaseStream(jobId, 1),
    Number.MAX_SAFE_INTEGER,
  );
  expect(stored).toBeGreaterThanOrEqual(EVENTS / 500);
  expect(Math.max(...snapshots.inserts)).toBeLessThanOrEqual(10);
  const { rows } = await pool.query<{ bytes: number }>(
    'SELECT octet_length(state::text) AS bytes FROM phaseline.snapshots WHERE stream_id = $1 ORDER BY version',
    [phaseStream(jobId, 1)],
  );
  expect(rows).toHaveLength(stored);
  const sizes = rows.map(({ bytes }) => bytes);
  // The first contains fewer of the 50 files and 20 todos than later ones.
  expect(sizes.at(-1)).toBeLessThan(1.5 * sizes[2]!);
});

it('reads a long phase in pages, and keeps neither its conversation nor its calls where none is read', async () => {
  const store = new WatchedStore(pool);
  const outline = (await new JobRepository(store, { fold: foldPhaseOutline }).loadPhase(jobId, 1))!;
  expect(Math.max(...store.pages)).toBeLessThanOrEqual(1_000);
  expect(outline.conversation.transcript).toEqual([]);
  expect(outline.work.calls).toEqual([]);
  expect(JSON.stringify(outline).length).toBeLessThan(150_000);
});

it('folds the whole state of a long phase, with every call in order', async () => {
  const state = (await new JobRepository(new EventStore(pool)).loadPhase(jobId, 1))!;
  const { steps } = state.money.spending;
  expect(state.work.calls.map(({ callId }) => callId)).toEqual(
    Array.from({ length: steps }, (_, index) => `call_1_${index + 1}_1`),
  );
  expect(state.conversation.transcript.filter(({ kind }) => kind === 'answer')).toHaveLength(steps);
});
