import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import pg, { type Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { executeNextRun } from './execute-run.js';
import { RetentionRuns } from './retention-runs.js';

let database: TestDatabase;
let pool: Pool;
const options = { now: () => new Date(), signal: new AbortController().signal };
const actor = { id: 'ada', kind: 'person' } as const;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 4 });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

describe('a run of retention', () => {
  it('is followed by the next one, also while the server has not noticed that a connection was closed', async () => {
    const store = new EventStore(pool);
    onTestFinished(() => store.close());
    const runs = new RetentionRuns(pool);
    const first = await runs.request({ actor, tenants: ['one'], dryRun: true });
    const second = await runs.request({ actor, tenants: ['two'], dryRun: true });
    const end = pg.Client.prototype.end as (this: pg.Client, done: (error: Error) => void) => void;
    vi.spyOn(pg.Client.prototype, 'end').mockImplementation(function (this: pg.Client, done) {
      setTimeout(() => end.call(this, done), 1_000);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await executeNextRun(store, pool, options)).toMatchObject({ runId: first });
    expect(await executeNextRun(store, pool, options)).toMatchObject({ runId: second });
    expect(await executeNextRun(store, pool, options)).toBeUndefined();
  });

  it('is left to the process that executes one', async () => {
    const store = new EventStore(pool);
    onTestFinished(() => store.close());
    await new RetentionRuns(pool).request({ actor, tenants: 'all', dryRun: true });
    const other = await pool.connect();
    await other.query('SELECT pg_advisory_lock(7406318270)');
    expect(await executeNextRun(store, pool, options)).toBe('busy');
    other.release(true);
  });
});
