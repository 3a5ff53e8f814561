/**
 * What an append costs, against plain INSERTs of the same bytes in the same run on the same server.
 *
 * Measures: appends a second and their p50 and p99 (milliseconds, as the caller sees them) at 1 and at 32 writers, each
 * append one event with hash chain, expected version and event id, durable as the server is set up; the same for an
 * INSERT with one commit each into a table with nothing but a key, sequence-numbered, by as many connections as writers;
 * the ratio; and events read back a second. Rounds of both are alternated, so that a busy machine hits both alike.
 *
 * Knobs: url (the owner's: a table `phaseline.bench_plain` is made and dropped), seconds a round, rounds, writers.
 * The events it appends stay in the log, so give it a database of its own.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createPool } from '../database/pool.js';
import { EventStore } from '../event-store.js';
import type { JsonObject } from '@phaseline/basics';
import { measure, merge, type Latencies, type Rate } from './latencies.js';

export interface AppendBenchOptions {
  readonly url: string;
  /** Length of a round; default 2. Every figure comes from `rounds` of them. */
  readonly seconds?: number;
  /** Default 2. */
  readonly rounds?: number;
  /** Default 1 and 32. */
  readonly writers?: readonly number[];
}

export interface AppendBenchRow {
  readonly writers: number;
  readonly append: Rate;
  readonly plain: Rate;
  /** append.perSecond / plain.perSecond */
  readonly ratio: number;
}

export interface AppendBenchFigures {
  readonly rows: readonly AppendBenchRow[];
  /** Events of a long stream read and parsed a second, as a fold reads them. */
  readonly readPerSecond: number;
  readonly durable: boolean;
}

const WRITERS = [1, 32];
/** Warms connections, prepared statements and the just-in-time compiler; not counted. */
const WARM_UP_SECONDS = 0.5;
const READ_STREAM_EVENTS = 20_000;

/** Some 500 bytes: a tool result of ordinary size and its metadata. */
const data: JsonObject = {
  callId: 'call_6f1d2c',
  text: 'The service MUST keep every record for ten years. '.repeat(6),
  lines: [12, 40],
  ok: true,
};
const metadata: JsonObject = {
  causationId: randomUUID(),
  actor: 'tactical-worker',
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
      await measure(count, WARM_UP_SECONDS, () => appender(store));
      await measure(count, WARM_UP_SECONDS, () => inserter(pool));
      for (let round = 0; round < rounds; round += 1) {
        plain.push(await measure(count, seconds, () => inserter(pool)));
        append.push(await measure(count, seconds, () => appender(store)));
      }
      const [a, p] = [merge(append), merge(plain)];
      rows.push({ writers: count, append: a, plain: p, ratio: a.perSecond / p.perSecond });
    }
    return { rows, readPerSecond: await readRate(store), durable: await isDurable(pool) };
  } finally {
    await store.close();
    await pool.query('DROP TABLE IF EXISTS phaseline.bench_plain');
    await pool.end();
  }
}

/** A writer with a stream and a job of its own, as a phase has. */
function appender(store: EventStore): () => Promise<unknown> {
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

function inserter(pool: pg.Pool): () => Promise<unknown> {
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

async function readRate(store: EventStore): Promise<number> {
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
