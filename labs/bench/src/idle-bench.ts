import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '@phaseline/event-store';
import { BenchFailed } from './bench-failed.js';

interface IdleFigures {
  /** Backend of the queues of the stack. */
  readonly backend: 'postgres' | 'redis';
  /** Transactions that the database committed per second. Reading counts as well: it costs a round trip and a snapshot. */
  readonly commitsPerSecond: number;
  /** Connections to the database at the end, by the name that the program gave them, without ids of processes. */
  readonly connections: Readonly<Record<string, number>>;
}

const PROBE = 'phaseline-idle-bench';
/** The first statement of this function, which counts as a commit too. */
const OWN_COMMITS = 1;

/**
 * Counts what a stack without jobs does to its database in some seconds. Start the stack before, and wait until it is ready: subscriptions poll
 * for the first three seconds after an event, and the server may count the last commits of an idle connection ten seconds late.
 */
export async function measureIdle(options: {
  readonly databaseUrl: string;
  readonly backend: IdleFigures['backend'];
  readonly seconds: number;
}): Promise<IdleFigures> {
  const pool = createPool(options.databaseUrl, { max: 1, applicationName: PROBE });
  try {
    const before = await readCommits();
    const startedAt = performance.now();
    await sleep(options.seconds * 1_000);
    const after = await readCommits();
    const seconds = (performance.now() - startedAt) / 1_000;
    return {
      backend: options.backend,
      commitsPerSecond: Math.max(0, after - before - OWN_COMMITS) / seconds,
      connections: await readConnections(),
    };
  } finally {
    await pool.end();
  }

  async function readCommits(): Promise<number> {
    const { rows } = await pool.query<{ commits: string }>(
      'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()',
    );
    if (rows[0] === undefined) throw new BenchFailed('the statistics of the database cannot be read');
    return Number(rows[0].commits);
  }

  async function readConnections(): Promise<Record<string, number>> {
    const { rows } = await pool.query<{ name: string; count: number }>(
      `SELECT regexp_replace(application_name, '-[0-9a-f]{8}-.*$', '') AS name, count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND application_name <> $1 GROUP BY 1 ORDER BY 1`,
      [PROBE],
    );
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  }
}
