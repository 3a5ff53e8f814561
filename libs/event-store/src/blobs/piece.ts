/** Size in bytes of a piece of a large blob. Table constraints depend on it (migrations/000003_blobs.sql), so it can never change. */
export const PIECE_BYTES = 1024 * 1024;

/** Splits a stream into pieces of PIECE_BYTES; the last piece may be shorter. Yields nothing for an empty stream. */
export async function* splitIntoPieces(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer, void, undefined> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.byteLength;) {
      const part = chunk.subarray(from, from + PIECE_BYTES - bytes);
      parts.push(part);
      bytes += part.byteLength;
      from += part.byteLength;
      if (bytes < PIECE_BYTES) continue;
      yield Buffer.concat(parts, bytes);
      parts = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(parts, bytes);
}

/** Yields the bytes of content from `start` up to, but not including, `end`, at most a piece at a time. */
export async function* readParts(
  content: Buffer | { readonly size: number },
  start: number,
  end: number,
  readPiece: (number: number, isReadToItsEnd: boolean) => Promise<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  if (Buffer.isBuffer(content)) {
    if (start < Math.min(end, content.byteLength)) yield content.subarray(start, end);
    return;
  }
  const last = Math.min(end, content.size);
  for (let at = start; at < last;) {
    const number = Math.floor(at / PIECE_BYTES);
    const from = number * PIECE_BYTES;
    const part = (await readPiece(number, last - from >= PIECE_BYTES)).subarray(at - from, last - from);
    yield part;
    at += part.byteLength;
  }
}

export async function joinParts(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return all.length === 1 ? all[0]! : Buffer.concat(all);
}
