import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createPool } from '../database/pool.js';
import type { NewEvent, StreamAppend } from '../append/append-types.js';

export interface TestPools {
  readonly database: TestDatabase;
  /** As the services connect. */
  readonly service: pg.Pool;
  /** As the owner of the schema: may disable triggers. */
  readonly owner: pg.Pool;
}

/** A migrated database for the spec file, with a pool for each role; all gone after it. */
export function useTestDatabase(): TestPools {
  const pools: { -readonly [Key in keyof TestPools]?: TestPools[Key] } = {};
  beforeAll(async () => {
    pools.database = await createTestDatabase();
    pools.service = createPool(pools.database.serviceUrl, { max: 20 });
    pools.owner = createPool(pools.database.ownerUrl, { max: 5 });
  });
  afterAll(async () => {
    await pools.service?.end();
    await pools.owner?.end();
    await pools.database?.drop();
  });
  return pools as TestPools;
}

/** Cuts connections of the services to this database, as a restart of the server would. Returns how many. */
export async function cutConnections(
  { database }: TestPools,
  applicationName: string,
  queryLike = '%',
): Promise<number> {
  const client = new pg.Client({ connectionString: database.serviceUrl, application_name: 'cutter' });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND usename = current_user AND application_name = $1 AND query LIKE $2`,
      [applicationName, queryLike],
    );
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}

export function newEvent(fields: Partial<NewEvent> = {}): NewEvent {
  return {
    eventId: randomUUID(),
    type: 'TodoCompleted',
    schemaVersion: 1,
    data: { id: 1 },
    metadata: { actor: 'spec' },
    ...fields,
  };
}

/** An append of some events; 'any' version unless told. */
export function appendTo(streamId: string, fields: Partial<StreamAppend> = {}): StreamAppend {
  return { streamId, correlationId: `of-${streamId}`, expectedVersion: 'any', events: [newEvent()], ...fields };
}

let streams = 0;
/** A stream id that no other test of the file uses. */
export function freshStream(): string {
  streams += 1;
  return `stream-${streams}`;
}

/** Polls until it holds; fails the test when it never does. */
export async function eventually<T>(
  what: () => Promise<T | undefined> | T | undefined,
  // Long, because a transaction of any other spec of the same server holds back every tail, and a busy machine does the rest.
  timeoutMs = 45_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await what();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error('what was waited for did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
