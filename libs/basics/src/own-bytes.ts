/**
 * Returns the bytes in memory of their own, for a cache. Small buffers of Node and of the database client are parts of pieces of up to 64 KiB,
 * which would be kept as a whole.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes) && bytes.buffer.byteLength === bytes.byteLength) return bytes;
  // Never a part of the pool.
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  own.set(bytes);
  return own;
}
