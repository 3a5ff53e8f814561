import type pg from 'pg';

/** A row of a COPY in PostgreSQL's binary format, as offsets and lengths of columns in `buffer`. Valid only during the callback. */
export interface BinaryRow {
  readonly buffer: Buffer;
  readonly starts: Int32Array;
  /** Lengths in bytes; -1 for NULL. */
  readonly lengths: Int32Array;
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const HEADER_BYTES = SIGNATURE.length + 8;

/**
 * Runs a query as `COPY … TO STDOUT (FORMAT binary)` and calls `onRow` for each row with the bytes the server sent, without creating
 * strings or objects. `onRow` runs while the socket is read, so a slow callback throttles the server and memory stays constant. If it
 * throws, the promise rejects and the connection can no longer be used.
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
    let hasFailed = false;
    const fail = (error: unknown): void => {
      hasFailed = true;
      reject(error as Error);
    };
    // The methods that node-postgres calls on the active query. Its types do not support COPY.
    const copy = {
      submit: (connection: { query(text: string): void }): void =>
        connection.query(`COPY (${query}) TO STDOUT (FORMAT binary)`),
      handleCopyData: ({ chunk }: { chunk: Buffer }): void => {
        if (hasFailed) return;
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
    // The types of pg do not know submittables that are not queries.
    (client as unknown as { query(submittable: unknown): void }).query(copy);
  });
}

/**
 * Reads a message into `row`; returns false if it contains no row. The server sends one message per row: the first one starts with the
 * header, and the trailer is a message with a column count of -1.
 */
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
