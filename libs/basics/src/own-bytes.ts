/**
 * Returns the bytes in memory of their own, for a cache. Small buffers of Node and of the database client are parts of pieces of up to 64 KiB,
 * which would be kept as a whole.
 */
export function ownBytes<Bytes extends Uint8Array>(bytes: Bytes): Bytes | Buffer {
  if (bytes.buffer.byteLength === bytes.byteLength) return bytes;
  // Never a part of the pool.
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  own.set(bytes);
  return own;
}
