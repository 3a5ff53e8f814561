import { readdir, readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type pg from 'pg';

interface QueryConfig {
  readonly text: string;
  readonly values?: unknown[];
}

/** A PostgreSQL with pgvector inside this process, with all migrations. */
export interface PgvectorDatabase {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

const MIGRATIONS = new URL('../../../../../migrations/', import.meta.url);

/**
 * Starts PGlite with its vector extension, and runs all migrations. It has a single connection, so the pool gives it to one caller at a
 * time. Queries run with the rights of the service.
 */
export async function openPgvectorDatabase(): Promise<PgvectorDatabase> {
  const database = await PGlite.create({ extensions: { vector } });
  // `migrate` creates this table, which later migrations refer to. It needs a server, so it cannot be used here.
  await database.exec(
    'CREATE SCHEMA phaseline; CREATE TABLE phaseline.migrations (name text PRIMARY KEY, hash text NOT NULL)',
  );
  const names = (await readdir(MIGRATIONS)).filter((name) => /^\d{6}_.*\.sql$/.test(name)).sort();
  for (const name of names) await database.exec(await readFile(new URL(name, MIGRATIONS), 'utf8'));
  await database.exec('SET ROLE phaseline_service');
  let last: Promise<unknown> = Promise.resolve();
  /** Waits for the connection. The caller must release it. */
  const acquire = async (): Promise<() => void> => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
  const run = async (query: string | QueryConfig, values?: unknown[]) => {
    const { text, values: given = values } = typeof query === 'string' ? { text: query } : query;
    const { rows } = await database.query<Record<string, unknown>>(text, given);
    return { rows: rows.map(withBuffers) };
  };
  const pool = {
    async query(query: string | QueryConfig, values?: unknown[]) {
      const release = await acquire();
      try {
        return await run(query, values);
      } finally {
        release();
      }
    },
    async connect() {
      return { query: run, release: await acquire() };
    },
  };
  // The store uses only these two members of a pool.
  return { pool: pool as unknown as pg.Pool, close: () => database.close() };
}

/** The driver of PostgreSQL returns bytes as buffers. */
function withBuffers(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
  );
}
