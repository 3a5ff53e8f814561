import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';

/** Tables of which old rows are removed, the one that grows fastest first. Each has a function `phaseline.clean_<name>`. */
const cleanedTables = ['snapshots', 'graph_calls', 'cached_requirements', 'dead_letters', 'retention_runs'] as const;
export type CleanedTable = (typeof cleanedTables)[number];

/** Number of days after which rows are removed, per table. Undefined: never. */
export type KeptDays = Readonly<Record<CleanedTable, number | undefined>>;

/** When a table was cleaned. */
export interface TableCleaning {
  readonly table: CleanedTable;
  readonly keptDays: number;
  readonly startedAt: Date;
  /** End of the last complete cleaning; null while the first one runs. */
  readonly endedAt: Date | null;
  /** Number of rows that the last complete cleaning removed. */
  readonly removed: number;
}

export interface CleaningOptions {
  readonly keptDays: KeptDays;
  /** Time in milliseconds between the cleanings of a table, over all processes. */
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Rows that one transaction checks. Default: what takes a fraction of a second. */
  readonly rowsPerBatch?: number;
}

const ROWS_PER_BATCH = 500;

/**
 * Removes old rows of each table that no process cleaned within the interval, in short transactions. Returns what was removed of the tables that this
 * call cleaned. A process that dies meanwhile leaves the rest to the next interval.
 */
export async function cleanTables(
  pool: pg.Pool,
  { keptDays, everyMs, signal, rowsPerBatch = ROWS_PER_BATCH }: CleaningOptions,
): Promise<Partial<Record<CleanedTable, number>>> {
  const cleaned: Partial<Record<CleanedTable, number>> = {};
  for (const table of cleanedTables) {
    const days = keptDays[table];
    if (days === undefined) await forget(pool, table);
    if (days === undefined || !(await claim(pool, table, days, everyMs))) continue;
    const removed = await cleanTable(pool, table, { days, rowsPerBatch, signal });
    const text = 'UPDATE phaseline.table_cleanings SET ended_at = clock_timestamp(), removed = $2 WHERE name = $1';
    await queryRows(pool, { text, values: [table, removed] });
    cleaned[table] = removed;
  }
  return cleaned;
}

/** Reads when tables were cleaned, by name. */
export async function readTableCleanings(pool: pg.Pool): Promise<readonly TableCleaning[]> {
  return queryRows<TableCleaning>(pool, {
    text: `SELECT name AS "table", kept_days AS "keptDays", started_at AS "startedAt", ended_at AS "endedAt", removed::float8 AS removed
      FROM phaseline.table_cleanings ORDER BY name`,
    values: [],
  });
}

/** A table whose setting was removed is no longer cleaned. */
async function forget(pool: pg.Pool, table: CleanedTable): Promise<void> {
  await queryRows(pool, { text: 'DELETE FROM phaseline.table_cleanings WHERE name = $1', values: [table] });
}

/** Whether this process cleans the table in this interval. */
async function claim(pool: pg.Pool, table: CleanedTable, days: number, everyMs: number): Promise<boolean> {
  const rows = await queryRows<object>(pool, {
    // The first condition keeps an attempt in vain from writing; the second decides between concurrent ones.
    text: `INSERT INTO phaseline.table_cleanings AS c (name, started_at, kept_days)
      SELECT $1, clock_timestamp(), $2 WHERE NOT EXISTS (
        SELECT FROM phaseline.table_cleanings WHERE name = $1 AND started_at > clock_timestamp() - make_interval(secs => $3))
      ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at, kept_days = excluded.kept_days
        WHERE c.started_at <= clock_timestamp() - make_interval(secs => $3)
      RETURNING name`,
    values: [table, days, everyMs / 1_000],
  });
  return rows.length === 1;
}

interface Batch {
  readonly checked: number;
  readonly removed: number;
  /** Time of the last row that was checked, to the microsecond. */
  readonly last: string | null;
}

async function cleanTable(
  pool: pg.Pool,
  table: CleanedTable,
  {
    days,
    rowsPerBatch,
    signal,
  }: { readonly days: number; readonly rowsPerBatch: number; readonly signal: AbortSignal },
): Promise<number> {
  let removed = 0;
  let after = '-infinity';
  for (;;) {
    signal.throwIfAborted();
    const [batch] = await queryRows<Batch>(pool, {
      text: `SELECT checked::int AS checked, removed::int AS removed, last::text AS last
        FROM phaseline.clean_${table}(clock_timestamp() - make_interval(days => $1), $2, $3)`,
      values: [days, after, rowsPerBatch],
    });
    removed += batch!.removed;
    if (batch!.checked < rowsPerBatch) return removed;
    after = batch!.last!;
  }
}
