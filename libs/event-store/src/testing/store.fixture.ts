import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createPool } from '../database/pool.js';
import type { NewEvent, StreamAppend } from '../append/append-types.js';

export interface TestPools {
  readonly database: TestDatabase;
  /** Pool with the rights of a service. */
  readonly service: pg.Pool;
  /** Pool of the schema owner, who may disable triggers. */
  readonly owner: pg.Pool;
}

/** Creates a migrated database for the spec file, with a pool for each role, and removes them afterwards. */
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

/** Terminates connections of the services to this database, as a restart of the server would. Returns their number. */
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

/** Creates an append of one event with expected version 'any', or with the given fields. */
export function appendTo(streamId: string, fields: Partial<StreamAppend> = {}): StreamAppend {
  return { streamId, correlationId: `of-${streamId}`, expectedVersion: 'any', events: [newEvent()], ...fields };
}

let streams = 0;
/** Creates a stream id that is unique in the spec file. */
export function createStreamId(): string {
  streams += 1;
  return `stream-${streams}`;
}

/** Polls until the function returns a value. Throws on timeout. */
export async function waitUntil<T>(
  check: () => Promise<T | undefined> | T | undefined,
  // Long, because open transactions of other specs on the same server hold back all subscriptions, and machines may be busy.
  timeoutMs = 45_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error('timed out waiting for a condition');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
