import { randomUUID } from 'node:crypto';
import { createPool, EventStore } from '@phaseline/event-store';
import { percentile } from '@phaseline/harness';

/** Appends of one event of about 500 bytes, in a log of a certain length. */
export interface AppendFigures {
  /** Time of an append with one writer, in milliseconds, as its caller sees it. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Appends per second with eight writers. */
  readonly perSecond: number;
  /** Pages of 8 KiB of all tables and indexes accessed per append, with one writer. */
  readonly buffers: number;
  /** Number of events that the measurement appended. */
  readonly appended: number;
}

/** Number of streams that receive the appends, comparable to the number of running jobs. */
const STREAMS = 64;
const WRITERS = 8;
/** Appends that are not measured, for connections, prepared statements and compilers. */
const WARM_UP_APPENDS = 128;

const data = {
  callId: 'call_1_1_1',
  content: 'The service MUST keep every record for ten years. '.repeat(6),
  attempts: 1,
  durationMs: 40,
};
const metadata = { actor: { id: 'tactical-worker-1', kind: 'process' }, causationId: 'call_1_1_1' };

/**
 * Measures appends to streams that belong to no job, so that the read models ignore them: first with one writer, then as many with
 * eight.
 */
export async function measureAppends(databaseUrl: string, appends: number): Promise<AppendFigures> {
  // One connection, because only a connection itself can publish its statistics at once.
  const single = createPool(databaseUrl, { max: 1, applicationName: 'soak' });
  const several = createPool(databaseUrl, { max: WRITERS, applicationName: 'soak' });
  try {
    const alone = new EventStore(single);
    await append(alone, 1, WARM_UP_APPENDS);
    const before = await countBuffers(single);
    const timesMs = await append(alone, 1, appends);
    const buffers = ((await countBuffers(single)) - before) / appends;
    await alone.close();

    const shared = new EventStore(several);
    await append(shared, WRITERS, WARM_UP_APPENDS);
    const began = performance.now();
    await append(shared, WRITERS, appends);
    const perSecond = (appends * 1_000) / (performance.now() - began);
    await shared.close();
    return {
      p50Ms: percentile(timesMs, 0.5),
      p99Ms: percentile(timesMs, 0.99),
      perSecond,
      buffers,
      appended: 2 * (WARM_UP_APPENDS + appends),
    };
  } finally {
    await Promise.all([single.end(), several.end()]);
  }
}

/** Returns the duration of each append in milliseconds. */
async function append(store: EventStore, writers: number, appends: number): Promise<number[]> {
  const run = randomUUID();
  const versions = Array.from({ length: STREAMS }, () => 0);
  const timesMs: number[] = [];
  const write = async (writer: number): Promise<void> => {
    for (let number = writer; number < appends; number += writers) {
      // The number of streams is a multiple of the number of writers, so each stream has a single writer, like a phase.
      const stream = number % STREAMS;
      const streamId = `appends-${run}-${stream}`;
      const expectedVersion = versions[stream]!++;
      const event = { eventId: randomUUID(), type: 'ToolCallCompleted', schemaVersion: 1, data, metadata };
      const began = performance.now();
      await store.append({ streamId, correlationId: streamId, expectedVersion, events: [event] });
      timesMs.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return timesMs;
}

/** Counts the pages that all connections have accessed in tables of the schema, with all accesses of this connection. */
async function countBuffers(pool: ReturnType<typeof createPool>): Promise<number> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ buffers: string }>(`
    SELECT sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0)) AS buffers
    FROM pg_statio_user_tables WHERE schemaname = 'phaseline'`);
  return Number(rows[0]!.buffers);
}
