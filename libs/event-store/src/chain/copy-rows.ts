import type pg from 'pg';

/** One row of a COPY in PostgreSQL's binary format: where each column lies in `buffer`. Valid only during the call. */
export interface BinaryRow {
  readonly buffer: Buffer;
  readonly starts: Int32Array;
  /** -1 for NULL. */
  readonly lengths: Int32Array;
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const HEADER_BYTES = SIGNATURE.length + 8;

/**
 * Runs a query as `COPY … TO STDOUT (FORMAT binary)` and hands over its rows as they come: the bytes as the server sent them, with
 * no string or object made of any. `onRow` runs while the socket is read, so a slow one slows the server down and memory
 * stays constant. What it throws ends the run; the connection is then not usable any more.
 *
 * The query cannot have parameters; use `pg.escapeLiteral`.
 */
export async function copyRows(
  client: pg.ClientBase,
  query: string,
  columns: number,
  onRow: (row: BinaryRow) => void,
): Promise<void> {
  const row = { buffer: SIGNATURE as Buffer, starts: new Int32Array(columns), lengths: new Int32Array(columns) };
  await new Promise<void>((resolve, reject) => {
    let failed = false;
    const fail = (error: unknown): void => {
      failed = true;
      reject(error as Error);
    };
    // What node-postgres calls on the query at work; its types do not know of COPY.
    const copy = {
      submit: (connection: { query(text: string): void }): void =>
        connection.query(`COPY (${query}) TO STDOUT (FORMAT binary)`),
      handleCopyData: ({ chunk }: { chunk: Buffer }): void => {
        if (failed) return;
        try {
          if (readRow(chunk, row)) onRow(row);
        } catch (error) {
          fail(error);
        }
      },
      handleCommandComplete: (): void => {},
      handleReadyForQuery: (): void => resolve(),
      handleError: fail,
    };
    (client as unknown as { query(submittable: unknown): void }).query(copy);
  });
}

/** The server sends a message a row; the header comes in front of the first one, and the trailer is a message with a count of -1. */
function readRow(chunk: Buffer, row: { buffer: Buffer; starts: Int32Array; lengths: Int32Array }): boolean {
  let at = 0;
  if (chunk.length >= HEADER_BYTES && chunk[0] === 0x50 && SIGNATURE.equals(chunk.subarray(0, SIGNATURE.length)))
    at = HEADER_BYTES;
  if (at === chunk.length) return false;
  const count = chunk.readInt16BE(at);
  if (count === -1) return false;
  if (count !== row.starts.length) throw new Error(`the server sent ${count} columns instead of ${row.starts.length}`);
  at += 2;
  for (let column = 0; column < count; column += 1) {
    const length = chunk.readInt32BE(at);
    at += 4;
    row.starts[column] = at;
    row.lengths[column] = length;
    if (length > 0) at += length;
  }
  row.buffer = chunk;
  return true;
}
