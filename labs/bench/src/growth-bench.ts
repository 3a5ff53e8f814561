import { randomUUID } from 'node:crypto';
import { createPool, EventStore, migrate } from '@phaseline/event-store';
import pg from 'pg';
import { requireCount } from './bench-failed.js';
import { generateLog, percentile } from '@phaseline/harness';

/*
 * Measures whether an append becomes slower as the log grows.
 *
 * Results: p50 and p99 of an append of one event (about 500 bytes, with hash chain, expected version and event id; with the durability
 * that the server is configured for), in milliseconds as seen by the caller, in logs of different lengths. Each length is a separate database on one
 * server, filled with realistic jobs. Rounds alternate between the databases, so that other load affects all of them alike and figures
 * of the same run are comparable. `ratio` is the p99 relative to the shortest log.
 *
 * Options: lengths, writers, rounds, appends per round.
 */
export interface GrowthBenchOptions {
  /** Role that may create databases; those of the benchmark are dropped at its end. */
  readonly superuserUrl: string;
  /** Role that owns the databases and appends. */
  readonly ownerUrl: string;
  /** Numbers of events in the logs before the measurement, in ascending order. */
  readonly lengths?: readonly number[];
  readonly writers?: readonly number[];
  readonly rounds?: number;
  readonly appendsPerRound?: number;
  readonly note?: (what: string) => void;
}

export interface GrowthRow {
  readonly writers: number;
  /** Events in the log when the measurement began. */
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** p99 relative to that of the shortest log. */
  readonly ratio: number;
}

/** Number of streams that receive the measured appends, comparable to the number of running jobs. */
const STREAMS = 64;

const data = {
  callId: 'call_1_1_1',
  content: 'The service MUST keep every record for ten years. '.repeat(6),
  attempts: 1,
  durationMs: 40,
};
const metadata = { actor: { id: 'tactical-worker-1', kind: 'process' }, causationId: 'call_1_1_1' };

export async function measureGrowth(options: GrowthBenchOptions): Promise<GrowthRow[]> {
  const {
    lengths = [1_000, 10_000, 100_000, 1_000_000],
    writers = [1, 8],
    rounds = 20,
    appendsPerRound = 400,
    note = () => undefined,
  } = options;
  const logs: GrownLog[] = [];
  try {
    for (const length of lengths) {
      note(`filling a log with ${length} events`);
      logs.push(await GrownLog.make(options, length));
    }
    const rows: GrowthRow[] = [];
    for (const count of writers) {
      note(`measuring ${count} ${count === 1 ? 'writer' : 'writers'}`);
      for (const log of logs) await log.measure(count, appendsPerRound);
      const timesMs = logs.map((): number[] => []);
      for (let round = 0; round < rounds; round += 1) {
        // The order alternates, so that none of them always comes first.
        const order = logs.map((_, index) => (round % 2 === 0 ? index : logs.length - 1 - index));
        for (const index of order) timesMs[index]!.push(...(await logs[index]!.measure(count, appendsPerRound)));
      }
      for (const [index, milliseconds] of timesMs.entries()) {
        const p99Ms = percentile(milliseconds, 0.99);
        const shortest = index === 0 ? p99Ms : rows.at(-index)!.p99Ms;
        rows.push({
          writers: count,
          events: lengths[index]!,
          p50Ms: percentile(milliseconds, 0.5),
          p99Ms,
          ratio: p99Ms / shortest,
        });
      }
    }
    for (const log of logs) await log.check();
    return rows;
  } finally {
    for (const log of logs) await log.drop();
  }
}

class GrownLog {
  private readonly store: EventStore;
  private readonly versions = new Map<string, number>();

  private constructor(
    private readonly pool: pg.Pool,
    private readonly name: string,
    private readonly superuserUrl: string,
  ) {
    this.store = new EventStore(pool);
  }

  static async make({ superuserUrl, ownerUrl }: GrowthBenchOptions, length: number): Promise<GrownLog> {
    const name = `growth_${length}_${randomUUID().slice(0, 8)}`;
    const url = new URL(ownerUrl);
    await administer(superuserUrl, `CREATE DATABASE ${name} OWNER ${pg.escapeIdentifier(url.username)}`);
    url.pathname = `/${name}`;
    await migrate(url.href);
    const log = new GrownLog(createPool(url.href, { max: 8, applicationName: 'phaseline-bench' }), name, superuserUrl);
    await generateLog({ store: log.store, events: length });
    // Otherwise autovacuum might run in the middle of a round.
    await log.pool.query('VACUUM ANALYZE phaseline.events');
    await log.pool.query('VACUUM ANALYZE phaseline.streams');
    return log;
  }

  /** Returns the duration of each append in milliseconds. */
  async measure(writers: number, appends: number): Promise<number[]> {
    const milliseconds: number[] = [];
    const write = async (writer: number): Promise<void> => {
      for (let n = writer; n < appends; n += writers) {
        // Each stream has a single writer, like a phase.
        const stream = ((n - writer) % (STREAMS - (STREAMS % writers))) + writer;
        const streamId = `bench-${this.name}-${stream}`;
        const version = this.versions.get(streamId) ?? 0;
        this.versions.set(streamId, version + 1);
        const event = { eventId: randomUUID(), type: 'ToolCallCompleted', schemaVersion: 1, data, metadata };
        const began = performance.now();
        await this.store.append({ streamId, correlationId: streamId, expectedVersion: version, events: [event] });
        milliseconds.push(performance.now() - began);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    return milliseconds;
  }

  /** Throws `BenchFailed` unless every measured append is in the log. */
  async check(): Promise<void> {
    const { rows } = await this.pool.query<{ count: string }>(
      "SELECT count(*) FROM phaseline.events WHERE stream_id LIKE 'bench-%'",
    );
    const appended = [...this.versions.values()].reduce((sum, version) => sum + version, 0);
    requireCount('measured appends in the log', Number(rows[0]!.count), appended);
  }

  async drop(): Promise<void> {
    await this.store.close();
    await this.pool.end();
    await administer(this.superuserUrl, `DROP DATABASE ${this.name} WITH (FORCE)`);
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
