import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnreachable, isUnreachable } from './database-errors.js';

export interface WaitForDatabaseOptions {
  /** Give up after this long; default 30 s. */
  readonly timeoutMs?: number;
  /** Called before every pause, with what went wrong. */
  readonly onRetry?: (attempt: { readonly attempt: number; readonly inMs: number; readonly error: Error }) => void;
  readonly signal?: AbortSignal;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Resolves when the database answers a query. Tries again while it cannot be reached, is starting up or is shutting
 * down; throws DatabaseUnreachable (host and port in its message, never the password) when the time is up, and at once
 * what trying again cannot mend: a wrong password, a database that does not exist.
 */
export async function waitForDatabase(url: string, options: WaitForDatabaseOptions = {}): Promise<void> {
  const deadline = performance.now() + (options.timeoutMs ?? 30_000);
  let pause = FIRST_PAUSE_MS;
  for (let attempt = 1; ; attempt += 1) {
    const left = deadline - performance.now();
    try {
      await ask(url, Math.max(left, FIRST_PAUSE_MS));
      return;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (deadline - performance.now() <= pause) throw new DatabaseUnreachable(error, placeOf(url));
      options.onRetry?.({ attempt, inMs: pause, error: error as Error });
    }
    await sleep(pause, undefined, options.signal ? { signal: options.signal } : {});
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

async function ask(url: string, timeoutMs: number): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
  // A break after the answer must not end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end().catch(() => undefined);
  }
}

function placeOf(url: string): string {
  try {
    const { hostname, port } = new URL(url);
    return `${hostname}:${port || '5432'}`;
  } catch {
    return 'an address that is no URL';
  }
}
