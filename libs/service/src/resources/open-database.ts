import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessId } from '@phaseline/contracts';
import {
  createPool,
  DatabaseUnreachable,
  findExcessRights,
  readMigrationFiles,
  waitForDatabase,
} from '@phaseline/event-store';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { messageOf } from '../health/readiness.js';
import type { CommonConfig } from '../config/service-config.js';
import { DatabaseUnavailable } from '../startup-error.js';

/** Timeout of a statement; far longer than any statement of a service takes. See PoolOptions. */
const QUERY_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 300;
const WARNING_INTERVAL_MS = 3_000;

/**
 * Opens a pool on the database as soon as the database responds and has all migrations that this code knows. Until then it retries and
 * logs a warning every few seconds, so services, database and migrations can be started in any order.
 * @throws DatabaseUnavailable after PHASELINE_DATABASE_WAIT_MS, or immediately if the login is rejected
 */
export async function openDatabase(config: CommonConfig, processId: ProcessId, logger: Logger): Promise<Pool> {
  const { DATABASE_URL: url, PHASELINE_DATABASE_WAIT_MS: waitMs } = config;
  const startedAt = performance.now();
  const warn = throttle((problem) => {
    logger.warn(
      { waitedMs: Math.round(performance.now() - startedAt), timeoutMs: waitMs },
      `waiting for the database: ${problem}`,
    );
  });
  try {
    await waitForDatabase(url, { timeoutMs: waitMs, onRetry: ({ error }) => warn(messageOf(error)) });
  } catch (error) {
    if (error instanceof DatabaseUnreachable)
      throw new DatabaseUnavailable(toSentence(error.message), { cause: error });
    throw new DatabaseUnavailable(
      `The database at ${addressOf(url)} cannot be used: ${messageOf(error)}. Check user, password and database name in DATABASE_URL.`,
      { cause: error },
    );
  }
  const pool = createPool(url, {
    max: config.PHASELINE_DATABASE_POOL_SIZE,
    applicationName: processId,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    onError: (error) => logger.warn({ error }, 'an idle database connection was lost'),
  });
  try {
    const required = await listRequiredMigrations();
    for (;;) {
      const missing = await listMissingMigrations(pool, required);
      if (missing.length === 0) {
        for (const reason of await findExcessRights(pool))
          logger.warn(
            `the login of DATABASE_URL can modify the event log: ${reason}. Use a member of phaseline_service`,
          );
        return pool;
      }
      const problem = `the database at ${addressOf(url)} lacks ${missing.join(', ')}. Run the migrations as its owner`;
      if (performance.now() - startedAt >= waitMs) throw new DatabaseUnavailable(toSentence(problem));
      warn(problem);
      await sleep(RETRY_INTERVAL_MS);
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Lists the migrations that this code requires. Empty if the service's image does not contain them: then any applied migration is enough. */
async function listRequiredMigrations(): Promise<readonly string[]> {
  const files = await readMigrationFiles().catch(() => []);
  return files.map(({ name }) => name);
}

async function listMissingMigrations(pool: Pool, required: readonly string[]): Promise<readonly string[]> {
  try {
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM phaseline.migrations');
    const applied = new Set(rows.map(({ name }) => name));
    return required.filter((name) => !applied.has(name));
  } catch (error) {
    // The table or schema does not exist, or no right has been granted yet: the first migrations have not run.
    if (['42P01', '3F000', '42501'].includes((error as { code?: string }).code ?? '')) return ['the Phaseline schema'];
    throw error;
  }
}

function throttle(log: (problem: string) => void): (problem: string) => void {
  let loggedAt = -Infinity;
  return (problem) => {
    if (performance.now() - loggedAt < WARNING_INTERVAL_MS) return;
    loggedAt = performance.now();
    log(problem);
  };
}

/** Host, port and database name of a URL, without user and password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
