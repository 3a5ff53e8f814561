/** A field of a protobuf message: a number (varint), eight bytes (fixed64), or bytes that are a text or another message. */
export interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** Reads the fields of a protobuf message, without a schema. Throws for wire types that OTLP traces do not use, and for a cut message. */
export function readFields(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('the message is cut');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const readBytes = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new Error('the message is cut');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const lengthOf: Readonly<Record<number, () => number>> = { 1: () => 8, 2: () => Number(readVarint()), 5: () => 4 };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const type = key & 7;
    const length = lengthOf[type];
    if (type !== 0 && !length) throw new Error(`unknown wire type ${type}`);
    fields.push({ number: key >> 3, value: length ? readBytes(length()) : readVarint() });
  }
  return fields;
}

/** Returns the values of a field of bytes. */
export function listBytes(fields: readonly Field[], number: number): readonly Uint8Array[] {
  return fields.flatMap((field) => (field.number === number && field.value instanceof Uint8Array ? [field.value] : []));
}

/** Returns the text of a field; empty if it is absent. */
export function readText(fields: readonly Field[], number: number): string {
  return Buffer.from(listBytes(fields, number)[0] ?? []).toString('utf8');
}

/** Returns the value of a field of a varint; 0 if it is absent. */
export function readNumber(fields: readonly Field[], number: number): number {
  const value = fields.find((field) => field.number === number)?.value;
  return typeof value === 'bigint' ? Number(value) : 0;
}
