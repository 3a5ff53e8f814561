import { expect, it } from 'vitest';
import { ownBytes } from './own-bytes.js';

it('copies a part of a larger piece of memory', () => {
  const pooled = Buffer.from('a short text');
  expect(pooled.buffer.byteLength).toBeGreaterThan(1_000);
  const own = ownBytes(pooled);
  expect(Buffer.from(own).toString()).toBe('a short text');
  expect(own.buffer.byteLength).toBe(own.byteLength);
});

it('keeps bytes that have their own memory', () => {
  for (const alone of [Buffer.alloc(10), new Uint8Array(10)]) expect(ownBytes(alone)).toBe(alone);
});
