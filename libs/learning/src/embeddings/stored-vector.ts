import { endianness } from 'node:os';

const BYTES_PER_NUMBER = 4;

/** Returns the bytes of a vector as they are stored. */
export function toStoredVector(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * BYTES_PER_NUMBER);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * BYTES_PER_NUMBER);
  return bytes;
}

/** Returns the vector of stored bytes. */
export function fromStoredVector(bytes: Buffer): Float32Array {
  // A copy, because the numbers of a view have to begin at a multiple of their size.
  const copy = Buffer.from(new Uint8Array(bytes).buffer);
  if (endianness() === 'BE') copy.swap32();
  return new Float32Array(copy.buffer, copy.byteOffset, copy.length / BYTES_PER_NUMBER);
}

/** Computes the cosine of the angle between two vectors of length 1; 0 if they differ in size. */
export function computeSimilarity(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length) return 0;
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += left[index]! * right[index]!;
  return sum;
}
