import type { PhaseEvent, PhaseState } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { PhaseCache } from './phase-cache.js';

const note = (characters: number): PhaseEvent => ({
  type: 'FileDeleted',
  data: { path: 'x'.repeat(characters) },
});

function add(cache: PhaseCache, name: string, characters: number): PhaseState {
  const state = { version: 1 } as PhaseState;
  cache.noteSize(state, undefined, [note(characters)]);
  cache.set(name, state);
  return state;
}

it('drops the phases that were not used for longest when all together are too large', () => {
  const cache = new PhaseCache(100_000);
  const kept = ['a', 'b', 'c', 'd'].map((name) => [name, add(cache, name, 30_000)] as const).slice(1);
  expect(cache.get('a')).toBeUndefined();
  for (const [name, state] of kept) expect(cache.get(name)).toBe(state);
});

it('keeps a phase that is larger than the limit, but alone', () => {
  const cache = new PhaseCache(100_000);
  add(cache, 'small', 1_000);
  const large = add(cache, 'large', 200_000);
  expect(cache.get('large')).toBe(large);
  expect(cache.get('small')).toBeUndefined();
});
