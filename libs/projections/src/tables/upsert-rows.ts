import type { Queryable } from '@phaseline/event-store';
import { columnsOf, type ReadModel, type Row } from '../models/read-model.js';

/** Inserts rows or updates those with the same key. Columns with sums are added to the stored value. */
export async function upsertRows(
  transaction: Queryable,
  model: ReadModel,
  table: string,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const { key, columns, immutableColumns = [], summedColumns = [] } = model;
  const names = columnsOf(model).join(', ');
  const changes = columns
    .filter((column) => !immutableColumns.includes(column))
    .map((column) => `${column} = ${summedColumns.includes(column) ? `t.${column} + ` : ''}excluded.${column}`);
  // All rows in one parameter, so the types are those of the table's columns. Sorted by key, so that two writers of the
  // same rows do not deadlock.
  await transaction.query(
    `INSERT INTO ${table} AS t (${names})
     SELECT ${names} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) ORDER BY ${key.join(', ')}
     ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changes.join(', ')}`,
    [JSON.stringify(rows)],
  );
}
