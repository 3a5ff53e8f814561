import { randomBytes } from 'node:crypto';
import { createPool } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { createFakeHost } from '../testing/fake-streams.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function migrate(env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost({ env });
  const code = await runCli(['migrate', ...args], host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

async function asOwner<T>(use: (pool: ReturnType<typeof createPool>) => Promise<T>): Promise<T> {
  const pool = createPool(database.ownerUrl, { max: 1 });
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

describe('migrate', () => {
  it('creates the log and the queues in an empty database, and then finds nothing to do', async () => {
    await asOwner((pool) => pool.query('DROP SCHEMA phaseline CASCADE; DROP SCHEMA bullmq CASCADE'));
    const first = await migrate({ DATABASE_URL: database.ownerUrl });
    expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ migrations applied\.\n$/) as string });
    expect(first.err).toContain('applied migration 000001_event_log.sql');
    expect(await migrate({ DATABASE_URL: database.ownerUrl })).toEqual({
      code: 0,
      out: 'The database is up to date.\n',
      err: '',
    });
    const { rows } = await asOwner((pool) =>
      pool.query("SELECT to_regclass('phaseline.events')::text AS log, to_regclass('bullmq.job')::text AS queue"),
    );
    expect(rows).toEqual([{ log: 'phaseline.events', queue: 'bullmq.job' }]);
  });

  it('requires DATABASE_URL and says which login to use', async () => {
    expect(await migrate({})).toMatchObject({
      code: 2,
      err: expect.stringContaining('with the login of its owner') as string,
    });
  });

  it('reports that a login lacks the privilege to migrate', async () => {
    const { code, err } = await migrate({ DATABASE_URL: database.serviceUrl });
    expect(code).toBe(5);
    expect(err).toContain('permission denied');
    expect(err).not.toContain(new URL(database.serviceUrl).password);
  });

  it('does not remove the password of an owner that logs in without one', async () => {
    const url = new URL(database.ownerUrl);
    url.password = '';
    expect(
      await migrate({ DATABASE_URL: url.href, PHASELINE_APP_PASSWORD: randomBytes(8).toString('hex') }),
    ).toMatchObject({ code: 2 });
    await asOwner((pool) => pool.query('SELECT 1'));
  });
});
