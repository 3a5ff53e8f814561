import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, useTestDatabase } from '../testing/store.fixture.js';
import { DatabaseUnreachable, isUnreachable } from './database-errors.js';
import { createPool } from './pool.js';
import { waitForDatabase } from './wait-for-database.js';

const pools = useTestDatabase();

/** Finds a port on which nothing listens. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('waitForDatabase', () => {
  it('resolves immediately if the database is reachable', async () => {
    await waitForDatabase(pools.database.serviceUrl, { timeoutMs: 5_000, onRetry: () => expect.unreachable() });
  });

  it('retries, then throws an error with the address but without the password', async () => {
    const attempts: number[] = [];
    const port = await findFreePort();
    const error = await waitForDatabase(`postgres://user:secret@127.0.0.1:${port}/db`, {
      timeoutMs: 1_500,
      onRetry: ({ attempt }) => attempts.push(attempt),
    }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(DatabaseUnreachable);
    expect((error as Error).message).toContain(`127.0.0.1:${port}`);
    expect((error as Error).message).not.toContain('secret');
    expect(attempts.slice(0, 2)).toEqual([1, 2]);
  });

  it('does not retry permanent errors', async () => {
    const url = new URL(pools.database.serviceUrl);
    url.password = 'wrong';
    url.pathname = '/no_such_database';
    const retries: unknown[] = [];
    await expect(
      waitForDatabase(url.href, { timeoutMs: 60_000, onRetry: (attempt) => retries.push(attempt) }),
    ).rejects.not.toBeInstanceOf(DatabaseUnreachable);
    expect(retries).toEqual([]);
  });
});

describe('an unreachable database', () => {
  it('makes every operation throw DatabaseUnreachable, an append after its retries', async () => {
    const pool = createPool(`postgres://user:secret@127.0.0.1:${await findFreePort()}/db`);
    const store = new EventStore(pool, { unreachableRetryMs: 100 });
    const outcomes = await Promise.allSettled([
      store.append(appendTo('s')),
      store.read('s'),
      store.head('s'),
      store.blobs.get('ab'.repeat(32)),
    ]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: expect.any(DatabaseUnreachable) as unknown });
    await pool.end();
  });

  it('includes one that stops responding: the connection is dropped, and the pool stays usable', async () => {
    const pool = createPool(pools.database.serviceUrl, { max: 1, queryTimeoutMs: 500 });
    const { rows: before } = await pool.query('SELECT pg_backend_pid() AS pid');
    const error = await pool.query('SELECT pg_sleep(5)').catch((e: unknown) => e);
    expect(isUnreachable(error)).toBe(true);
    const { rows: after } = await pool.query('SELECT pg_backend_pid() AS pid');
    expect(after).not.toEqual(before);
    await pool.end();
  });

  it('is distinguished from an invalid query', async () => {
    const error = await pools.service.query('SELECT nonsense').catch((e: unknown) => e);
    expect(isUnreachable(error)).toBe(false);
  });
});
