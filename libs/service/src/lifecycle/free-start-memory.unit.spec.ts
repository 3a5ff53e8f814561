import { setImmediate } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { freeStartMemory } from './free-start-memory.js';

function createGarbage(): WeakRef<object>[] {
  return Array.from({ length: 100 }, () => new WeakRef({ text: 'garbage' }));
}

it('frees what nothing refers to', async () => {
  const garbage = createGarbage();
  // A weak reference keeps its object until the current task ends.
  await setImmediate();
  freeStartMemory();
  expect(garbage.filter((reference) => reference.deref() !== undefined)).toEqual([]);
});

it('does not give scripts a way to collect garbage', () => {
  freeStartMemory();
  expect(runInNewContext('typeof gc')).toBe('undefined');
});
