import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { doConcurrently } from './do-concurrently.js';

it('does each item once, and never more than the limit at a time', async () => {
  const done: number[] = [];
  let [running, most] = [0, 0];
  await doConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, (running += 1));
    await nextTick();
    running -= 1;
    done.push(item);
  });
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

it('begins no further item after an error, and rejects with it', async () => {
  const begun: number[] = [];
  const failing = doConcurrently([1, 2, 3, 4], 1, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  expect(begun).toEqual([1, 2]);
});
