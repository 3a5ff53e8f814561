import { setTimeout as sleep } from 'node:timers/promises';
import { computeBackoffMs } from '@phaseline/basics';
import pg from 'pg';
import { DatabaseUnreachable, isUnreachable } from './database-errors.js';

export interface WaitForDatabaseOptions {
  /** Time after which to give up, in milliseconds; default 30 s. */
  readonly timeoutMs?: number;
  /** Called before every pause with the error. */
  readonly onRetry?: (attempt: { readonly attempt: number; readonly inMs: number; readonly error: Error }) => void;
  readonly signal?: AbortSignal;
}

const PAUSE = { firstMs: 100, maxMs: 2_000 };

/**
 * Resolves when the database responds to a query. Retries while it cannot be reached, is starting up or is shutting down. Throws
 * DatabaseUnreachable (with host and port, never the password) on timeout, and permanent errors immediately: a wrong password, a
 * database that does not exist.
 */
export async function waitForDatabase(url: string, options: WaitForDatabaseOptions = {}): Promise<void> {
  const deadline = performance.now() + (options.timeoutMs ?? 30_000);
  for (let attempt = 1; ; attempt += 1) {
    const pause = computeBackoffMs(PAUSE, attempt);
    const left = deadline - performance.now();
    try {
      await probe(url, Math.max(left, PAUSE.firstMs));
      return;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (deadline - performance.now() <= pause) throw new DatabaseUnreachable(error, addressOf(url));
      options.onRetry?.({ attempt, inMs: pause, error: error as Error });
    }
    await sleep(pause, undefined, options.signal ? { signal: options.signal } : {});
  }
}

async function probe(url: string, timeoutMs: number): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
  // A connection that breaks after the query must not end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end().catch(() => undefined);
  }
}

function addressOf(url: string): string {
  try {
    const { hostname, port } = new URL(url);
    return `${hostname}:${port || '5432'}`;
  } catch {
    return 'an invalid URL';
  }
}
