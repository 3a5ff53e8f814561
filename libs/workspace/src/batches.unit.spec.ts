import { describe, expect, it } from 'vitest';
import { splitIntoBatches } from './batches.js';

const MEBIBYTE = 1024 * 1024;

function sizesOf(...sizes: readonly number[]): readonly (number | readonly number[])[] {
  const files = sizes.map((size, index) => ({ hash: String(index), size }));
  return [...splitIntoBatches(files)].map((batch) =>
    'large' in batch ? batch.large.size : batch.files.map(({ size }) => size),
  );
}

describe('splitIntoBatches', () => {
  it('makes no batch of nothing', () => {
    expect(sizesOf()).toEqual([]);
  });

  it('limits the bytes of a batch, and gives a file that is stored in pieces alone', () => {
    const full = [MEBIBYTE, MEBIBYTE, MEBIBYTE, MEBIBYTE];
    expect(sizesOf(...full, 0, 1, MEBIBYTE + 1, 2)).toEqual([[...full, 0], MEBIBYTE + 1, [1, 2]]);
  });

  it('limits the number of files of a batch', () => {
    expect(sizesOf(...Array.from({ length: 513 }, () => 0)).map((batch) => [batch].flat().length)).toEqual([
      256, 256, 1,
    ]);
  });
});
