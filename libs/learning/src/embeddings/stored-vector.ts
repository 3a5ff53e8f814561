const BYTES_PER_NUMBER = 4;

/** Returns the bytes of a vector as they are stored. */
export function toStoredVector(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * BYTES_PER_NUMBER);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * BYTES_PER_NUMBER);
  return bytes;
}

/** Returns the vector of stored bytes. */
export function fromStoredVector(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / BYTES_PER_NUMBER }, (_, index) =>
    bytes.readFloatLE(index * BYTES_PER_NUMBER),
  );
}

/** Computes the cosine of the angle between two vectors of length 1; 0 if they differ in size. */
export function computeSimilarity(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length) return 0;
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += left[index]! * right[index]!;
  return sum;
}
