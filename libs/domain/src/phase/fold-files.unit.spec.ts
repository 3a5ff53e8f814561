import { expect, it } from 'vitest';
import { playFiles } from './fold-files.fixture.js';

it('folds a phase that wrote 20,000 files without a copy of the tree for each of them', () => {
  // With a copy for each this takes minutes.
  const { state, files } = playFiles(20_000);
  expect(Object.keys(state.tree)).toHaveLength(files);
  expect(state.start.tree).toEqual({});
});

it('folds deletions and odd names as one event after the other does', () => {
  const { state, oneByOne } = playFiles(50, ['__proto__', 'constructor', 'a/b']);
  expect(state).toEqual(oneByOne);
  expect(Object.hasOwn(state.tree, '__proto__')).toBe(true);
});
