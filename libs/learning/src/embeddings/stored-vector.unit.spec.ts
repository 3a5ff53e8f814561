import { expect, it } from 'vitest';
import { computeSimilarity, fromStoredVector, toStoredVector } from './stored-vector.js';

it('a vector is stored as little-endian numbers of four bytes, and is the same when it is read', () => {
  const vector = Float32Array.of(1, -0.5, 0.25);
  const stored = toStoredVector(vector);
  expect(stored.toString('hex')).toBe('0000803f000000bf0000803e');
  expect(fromStoredVector(stored)).toEqual(vector);
  // Rows of a query are parts of a larger buffer, at any place in it.
  const part = Buffer.concat([Buffer.alloc(1), stored]).subarray(1);
  expect(fromStoredVector(part)).toEqual(vector);
  expect(part.toString('hex')).toBe('0000803f000000bf0000803e');
});

it('vectors of another model, which have another size, are not similar', () => {
  expect(computeSimilarity(Float32Array.of(0.6, 0.8), Float32Array.of(0.6, 0.8))).toBeCloseTo(1);
  expect(computeSimilarity(Float32Array.of(1), Float32Array.of(1, 0))).toBe(0);
});
