import { createPool, EventStore, readLatestTailPosition } from '@phaseline/event-store';
import {
  checkReadModels,
  readModelNames,
  createReadModelsProjection,
  rebuildReadModels,
  type ReadModelName,
} from '@phaseline/projections';
import { BenchFailed } from './bench-failed.js';
import { generateLog } from '@phaseline/harness';

type Pool = ReturnType<typeof createPool>;

/*
 * Measures how long it takes to rebuild all read models from a log, checks that the result equals, byte for byte, what the live tail
 * built event by event, and measures the check that an operator runs.
 *
 * Option: events of the log (default 1,000,000).
 */

export interface RebuildBenchOptions {
  readonly databaseUrl: string;
  /** Default 1,000,000. */
  readonly events?: number;
  /** Called with a description of each step. */
  readonly note?: (what: string) => void;
}

export interface RebuildFigures {
  readonly events: number;
  readonly jobs: number;
  readonly generatedPerSecond: number;
  /** Events per second of the live tail, from the first event to the last. */
  readonly livePerSecond: number;
  readonly rebuildSeconds: number;
  readonly switchMs: number;
  readonly checkSeconds: number;
  /** Rows of each read model. */
  readonly rows: Readonly<Record<ReadModelName, number>>;
  /** Whether the rebuilt tables equal those of the live tail, byte for byte. */
  readonly isEqual: boolean;
  readonly isCorrect: boolean;
}

export async function measureRebuild(options: RebuildBenchOptions): Promise<RebuildFigures> {
  const { databaseUrl, events = 1_000_000, note = () => undefined } = options;
  const pool = createPool(databaseUrl, { max: 24, applicationName: 'bench' });
  try {
    note(`${events.toLocaleString('en-US')} events of realistic jobs`);
    const log = await generateLog({ store: new EventStore(pool), events });
    note('the live tail');
    const live = await runTail(pool);
    const before = await digestTables(pool);
    note('the rebuild');
    const rebuilt = await rebuildReadModels(pool);
    const after = await digestTables(pool);
    note('the check');
    const check = await checkReadModels(pool);
    const { rows: inLog } = await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.events');
    const equal = readModelNames.every((name) => before[name].md5 === after[name].md5);
    if (!equal) throw new BenchFailed('the rebuilt read models differ from those of the live tail');
    if (!check.passed) throw new BenchFailed('the read models differ from the fold of the log');
    return {
      events: Number(inLog[0]!.count),
      jobs: log.jobs,
      generatedPerSecond: log.events / log.seconds,
      livePerSecond: Number(inLog[0]!.count) / live,
      rebuildSeconds: rebuilt.elapsedMs / 1_000,
      switchMs: rebuilt.switchMs,
      checkSeconds: check.elapsedMs / 1_000,
      rows: Object.fromEntries(readModelNames.map((name) => [name, after[name].rows])) as Record<ReadModelName, number>,
      isEqual: equal,
      isCorrect: check.passed,
    };
  } finally {
    await pool.end();
  }
}

/** Reads the whole log like an orchestrator. Returns the duration in seconds. */
async function runTail(pool: Pool): Promise<number> {
  const began = performance.now();
  const failures: Error[] = [];
  const subscription = createReadModelsProjection(pool, { onError: (error) => failures.push(error) });
  await subscription.start();
  const done = await subscription.waitFor(await readLatestTailPosition(pool), 3_600_000);
  await subscription.close();
  if (!done || failures[0]) throw failures[0] ?? new Error('the tail did not reach the end of the log');
  return (performance.now() - began) / 1_000;
}

/** Computes a digest of each table. */
async function digestTables(pool: Pool): Promise<Record<ReadModelName, { md5: string; rows: number }>> {
  const found: Partial<Record<ReadModelName, { md5: string; rows: number }>> = {};
  for (const name of readModelNames) {
    const { rows } = await pool.query<{ md5: string; rows: string }>(
      `SELECT md5(string_agg(md5(t::text), '' ORDER BY t::text COLLATE "C")) AS md5, count(*) AS rows FROM phaseline.${name} AS t`,
    );
    found[name] = { md5: rows[0]!.md5, rows: Number(rows[0]!.rows) };
  }
  return found as Record<ReadModelName, { md5: string; rows: number }>;
}
