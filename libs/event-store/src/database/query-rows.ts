import type pg from 'pg';
import { throwDatabaseError } from './database-errors.js';

/** Runs a query and returns its rows. Throws DatabaseUnreachable. */
export async function queryRows<Row extends object>(pool: pg.Pool, query: string | pg.QueryConfig): Promise<Row[]> {
  const { rows } = await pool.query<Row>(query).catch(throwDatabaseError);
  return rows;
}

/** Type parsers that return columns as text. The types of pg require every member of a registry; only `getTypeParser` is called. */
export const AS_TEXT = { getTypeParser: () => (value: string) => value } as never;
