/**
 * Measures the cost of appends, compared with plain INSERTs of the same bytes in the same run on the same server.
 *
 * - Appends per second, with p50 and p99 in milliseconds as the caller sees them, at 1 and 32 writers. Each append has one event with
 *   hash chain, expected version and event id, and is as durable as the server is configured to be.
 * - The same for INSERTs with one commit each into a table that has only a sequence-numbered key, with one connection per writer.
 * - The ratio of both, and events read per second. Rounds alternate, so that load on the machine affects both.
 *
 * Options: url (of the schema owner, because the table `phaseline.bench_plain` is created and dropped), seconds per round, rounds,
 * writers. The appended events stay in the log, so use a separate database.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createPool } from '../database/pool.js';
import { EventStore } from '../event-store.js';
import type { JsonObject } from '@phaseline/basics';
import { measure, mergeRounds, type Latencies, type Rate } from './latencies.js';

export interface AppendBenchOptions {
  readonly url: string;
  /** Length of a round in seconds; default 2. */
  readonly seconds?: number;
  /** Number of rounds per figure; default 2. */
  readonly rounds?: number;
  /** Numbers of concurrent writers to measure; default 1 and 32. */
  readonly writers?: readonly number[];
}

interface AppendBenchRow {
  readonly writers: number;
  readonly append: Rate;
  readonly plain: Rate;
  /** append.perSecond / plain.perSecond */
  readonly ratio: number;
}

export interface AppendBenchFigures {
  readonly rows: readonly AppendBenchRow[];
  /** Events of a long stream read and parsed per second. */
  readonly readPerSecond: number;
  readonly durable: boolean;
}

const WRITERS = [1, 32];
/** Warms up connections, prepared statements and the just-in-time compiler. Not measured. */
const WARM_UP_SECONDS = 0.5;
const READ_STREAM_EVENTS = 20_000;

/** About 500 bytes: a tool result of typical size with its metadata. */
const data: JsonObject = {
  callId: 'call_6f1d2c',
  text: 'The service MUST keep every record for ten years. '.repeat(6),
  lines: [12, 40],
  ok: true,
};
const metadata: JsonObject = {
  causationId: randomUUID(),
  actor: { id: 'tactical-worker', kind: 'process' },
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
};

export async function appendBench({
  url,
  seconds = 2,
  rounds = 2,
  writers = WRITERS,
}: AppendBenchOptions): Promise<AppendBenchFigures> {
  const pool = createPool(url, { max: Math.max(...writers), applicationName: 'phaseline-bench' });
  const store = new EventStore(pool);
  try {
    await pool.query(PLAIN_TABLE);
    const rows: AppendBenchRow[] = [];
    for (const count of writers) {
      const append: Latencies[] = [];
      const plain: Latencies[] = [];
      await measure(count, WARM_UP_SECONDS, () => createAppender(store));
      await measure(count, WARM_UP_SECONDS, () => createInserter(pool));
      for (let round = 0; round < rounds; round += 1) {
        plain.push(await measure(count, seconds, () => createInserter(pool)));
        append.push(await measure(count, seconds, () => createAppender(store)));
      }
      const [appendRate, plainRate] = [mergeRounds(append), mergeRounds(plain)];
      rows.push({
        writers: count,
        append: appendRate,
        plain: plainRate,
        ratio: appendRate.perSecond / plainRate.perSecond,
      });
    }
    return { rows, readPerSecond: await measureReads(store), durable: await isDurable(pool) };
  } finally {
    await store.close();
    await pool.query('DROP TABLE IF EXISTS phaseline.bench_plain');
    await pool.end();
  }
}

/** Creates a writer with its own stream and job, like a phase. */
function createAppender(store: EventStore): () => Promise<unknown> {
  const job = randomUUID();
  let version = 0;
  return () =>
    store.append({
      streamId: `bench-${job}-1`,
      correlationId: job,
      expectedVersion: version++,
      events: [{ eventId: randomUUID(), type: 'ToolCallCompleted', schemaVersion: 1, data, metadata }],
    });
}

const PLAIN_TABLE = `
  DROP TABLE IF EXISTS phaseline.bench_plain;
  CREATE TABLE phaseline.bench_plain (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream_id text, version bigint, event_id uuid, type text,
    schema_version integer, data json, metadata json, correlation_id text, recorded_at timestamptz DEFAULT now()
  )`;

function createInserter(pool: pg.Pool): () => Promise<unknown> {
  const job = randomUUID();
  let version = 0;
  return () =>
    pool.query({
      name: 'phaseline-bench-plain',
      text: `INSERT INTO phaseline.bench_plain (stream_id, version, event_id, type, schema_version, data, metadata, correlation_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [
        `bench-${job}-1`,
        ++version,
        randomUUID(),
        'ToolCallCompleted',
        1,
        JSON.stringify(data),
        JSON.stringify(metadata),
        job,
      ],
    });
}

async function measureReads(store: EventStore): Promise<number> {
  const job = randomUUID();
  const streamId = `bench-${job}-read`;
  for (let version = 0; version < READ_STREAM_EVENTS; version += 500) {
    const events = Array.from({ length: 500 }, () => ({
      eventId: randomUUID(),
      type: 'ToolCallCompleted',
      schemaVersion: 1,
      data,
      metadata,
    }));
    await store.append({ streamId, correlationId: job, expectedVersion: version, events });
  }
  const started = performance.now();
  let read = 0;
  for await (const event of store.iterate(streamId)) read += event.version > 0 ? 1 : 0;
  return read / ((performance.now() - started) / 1_000);
}

async function isDurable(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ durable: boolean }>(
    `SELECT current_setting('fsync') = 'on' AND current_setting('synchronous_commit') = 'on' AS durable`,
  );
  return rows[0]?.durable ?? false;
}
