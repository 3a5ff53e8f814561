import type { StreamId } from '@phaseline/contracts';
import { phaseStream } from '@phaseline/domain';
import {
  createPool,
  EventStore,
  type EventContent,
  type ReadOptions,
  type RecordedEvent,
} from '@phaseline/event-store';
import { JobRepository, Snapshots, StreamFolds } from '@phaseline/repository';
import { createTestDatabase } from '@phaseline/testing';
import { RecordedPrompts } from '@phaseline/time-travel';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendLongJob } from '../generated/long-job.js';

const EVENTS = 12_000;

/** Counts the events that are read at once, and those that are read in pages. */
class WatchedStore extends EventStore {
  atOnce = 0;
  inPages = 0;
  override async read(streamId: StreamId, options?: ReadOptions): Promise<RecordedEvent[]> {
    const events = await super.read(streamId, options);
    this.atOnce += events.length;
    return events;
  }
  override async *iterate(streamId: StreamId, options?: ReadOptions): AsyncGenerator<RecordedEvent, void, undefined> {
    for await (const event of super.iterate(streamId, options)) {
      this.inPages += 1;
      yield event;
    }
  }
  override async *iteratePages(
    streamId: StreamId,
    options?: Pick<ReadOptions, 'from' | 'to'>,
  ): AsyncGenerator<readonly EventContent[], void, undefined> {
    for await (const page of super.iteratePages(streamId, options)) {
      this.inPages += page.length;
      yield page;
    }
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
  const outline = (await new JobRepository(store, { loadsOutlines: true }).loadPhase(jobId, 1))!;
  expect([store.atOnce, store.inPages]).toEqual([0, outline.version]);
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

it('reads no event after the step whose prompt it rebuilds', async () => {
  const store = new WatchedStore(pool);
  const tools = { forPhase: () => ({ specsOf: () => [] }) };
  expect(await new RecordedPrompts(store, tools).rebuild(jobId, 1, 2)).toMatchObject({ call: { step: 2 } });
  const [second, third] = (await store.readCorrelation(jobId, { types: ['ModelCallStarted'] })).slice(1);
  expect(store.inPages).toBeGreaterThanOrEqual(second!.version);
  expect(store.inPages).toBeLessThanOrEqual(third!.version);
});
