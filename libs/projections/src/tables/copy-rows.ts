import type pg from 'pg';
import { columnsOf, type ReadModel, type Row } from '../models/read-model.js';

/** Methods that node-postgres calls on a query object; its types do not declare them. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * A COPY FROM STDIN of rows in memory, about three times as fast as an INSERT of the same rows. node-postgres supports
 * the messages but has no query type for them.
 */
class CopyIn {
  constructor(
    private readonly text: string,
    private readonly content: Buffer,
    private readonly done: (error: Error | undefined) => void,
  ) {}

  submit(connection: CopyConnection): void {
    connection.query(this.text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.content);
    connection.endCopyFrom();
  }

  /** Called for errors of the server or the connection; node-postgres calls no other method after it. */
  handleError(error: Error): void {
    this.done(error);
  }

  handleReadyForQuery(): void {
    this.done(undefined);
  }

  handleCommandComplete(): void {}
}

/** Inserts rows that are not in the table yet. */
export async function copyRows(
  client: pg.PoolClient,
  model: ReadModel,
  table: string,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = columnsOf(model);
  const content = Buffer.from(rows.map((row) => formatCopyLine(model, columns, row)).join(''), 'utf8');
  await new Promise<void>((resolve, reject) => {
    const copy = new CopyIn(`COPY ${table} (${columns.join(', ')}) FROM STDIN`, content, (error) =>
      error ? reject(error) : resolve(),
    );
    // The types of pg require members that only queries need.
    client.query(copy as unknown as pg.Submittable);
  });
}

const special = /[\\\n\r\t]/g;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function formatCopyLine({ jsonColumns = [] }: ReadModel, columns: readonly string[], row: Row): string {
  const values = columns.map((column) => {
    const value = row[column];
    if (value === undefined || value === null) return '\\N';
    if (typeof value === 'number') return String(value);
    if (typeof value === 'boolean') return value ? 't' : 'f';
    const text = jsonColumns.includes(column) ? JSON.stringify(value) : String(value);
    return text.replace(special, (character) => escapes[character]!);
  });
  return `${values.join('\t')}\n`;
}
