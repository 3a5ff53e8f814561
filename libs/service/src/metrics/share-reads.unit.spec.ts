import { expect, it } from 'vitest';
import { shareReads } from './share-reads.js';

function countReads() {
  let reads = 0;
  let at = 0;
  const read = shareReads(async () => (reads += 1), { maxAgeMs: 100, now: () => at });
  return { read, wait: (ms: number) => (at += ms), reads: () => reads };
}

it('gauges of one scrape share a read', async () => {
  const { read, reads } = countReads();
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  expect(reads()).toBe(1);
});

it('a value is read again once it is too old', async () => {
  const { read, wait } = countReads();
  await read();
  wait(99);
  expect(await read()).toBe(1);
  wait(1);
  expect(await read()).toBe(2);
});

it('a failed read is not kept', async () => {
  let isDown = true;
  const read = shareReads(async () => {
    if (isDown) throw new Error('down');
    return 'up';
  });
  await expect(Promise.all([read(), read()])).rejects.toThrow('down');
  isDown = false;
  expect(await read()).toBe('up');
});
