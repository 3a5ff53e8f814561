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
