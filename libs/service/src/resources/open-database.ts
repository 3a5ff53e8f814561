import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPool,
  DatabaseUnreachable,
  excessRights,
  readMigrationFiles,
  waitForDatabase,
} from '@phaseline/event-store';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { CommonConfig } from '../config/service-config.js';
import { DatabaseUnavailable } from '../startup-error.js';

/** Far above any statement of a service; see PoolOptions. */
const queryTimeoutMs = 30_000;
const lookEveryMs = 300;
const sayEveryMs = 3_000;

/**
 * A pool on the database, as soon as that answers and has all migrations that this code knows. Until then it tries again, and says so every few
 * seconds: services, database and migrations may be started in any order.
 * @throws DatabaseUnavailable when PHASELINE_DATABASE_WAIT_MS are over, or at once when the login is refused
 */
export async function openDatabase(config: CommonConfig, processId: string, logger: Logger): Promise<Pool> {
  const { DATABASE_URL: url, PHASELINE_DATABASE_WAIT_MS: waitMs } = config;
  const began = performance.now();
  const complain = everyFewSeconds((problem) => {
    logger.warn(
      { waitedMs: Math.round(performance.now() - began), givingUpAfterMs: waitMs },
      `waiting for the database: ${problem}`,
    );
  });
  try {
    await waitForDatabase(url, { timeoutMs: waitMs, onRetry: ({ error }) => complain(reasonOf(error)) });
  } catch (error) {
    if (error instanceof DatabaseUnreachable) throw new DatabaseUnavailable(sentence(error.message), { cause: error });
    throw new DatabaseUnavailable(
      `The database at ${placeOf(url)} cannot be used: ${reasonOf(error)}. Check user, password and database name in DATABASE_URL.`,
      { cause: error },
    );
  }
  const pool = createPool(url, {
    max: config.PHASELINE_DATABASE_POOL,
    applicationName: processId,
    queryTimeoutMs,
    onError: (error) => logger.warn({ error }, 'an idle database connection was lost'),
  });
  try {
    const needed = await neededMigrations();
    for (;;) {
      const missing = await missingMigrations(pool, needed);
      if (missing.length === 0) {
        for (const reason of await excessRights(pool))
          logger.warn(`the login of DATABASE_URL could change the log: ${reason}. Use a member of phaseline_service`);
        return pool;
      }
      const problem = `the database at ${placeOf(url)} lacks ${missing.join(', ')}. Run the migrations as its owner`;
      if (performance.now() - began >= waitMs) throw new DatabaseUnavailable(sentence(problem));
      complain(problem);
      await sleep(lookEveryMs);
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** An image of a service need not hold the migrations; then it is enough that there were any. */
async function neededMigrations(): Promise<readonly string[]> {
  const files = await readMigrationFiles().catch(() => []);
  return files.map(({ name }) => name);
}

async function missingMigrations(pool: Pool, needed: readonly string[]): Promise<readonly string[]> {
  try {
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM phaseline.migrations');
    const applied = new Set(rows.map(({ name }) => name));
    return needed.filter((name) => !applied.has(name));
  } catch (error) {
    // No such table, no such schema, or not yet a right to look into it: the first migrations are still to come.
    if (['42P01', '3F000', '42501'].includes((error as { code?: string }).code ?? '')) return ['the Phaseline schema'];
    throw error;
  }
}

function everyFewSeconds(say: (problem: string) => void): (problem: string) => void {
  let said = -Infinity;
  return (problem) => {
    if (performance.now() - said < sayEveryMs) return;
    said = performance.now();
    say(problem);
  };
}

/** Host, port and database; never user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A refused connection to several addresses is an AggregateError without a message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
