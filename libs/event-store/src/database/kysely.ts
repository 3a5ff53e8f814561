import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { EventStoreTables } from './tables.js';

/**
 * Kysely over the caller's pool, for the ordinary queries: they are checked against the tables when they compile, and
 * building one costs some ten microseconds. The hot statements (append, read, tail) are raw pg, prepared by name.
 */
export function kyselyOver(pool: pg.Pool): Kysely<EventStoreTables> {
  return new Kysely<EventStoreTables>({ dialect: new PostgresDialect({ pool }) });
}
