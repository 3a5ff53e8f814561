/**
 * Returns the bytes in memory of their own, for a cache. Small buffers of Node and of the database client are parts of pieces of up to 64 KiB,
 * which would be kept as a whole.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.byteLength ? bytes : new Uint8Array(bytes);
}
