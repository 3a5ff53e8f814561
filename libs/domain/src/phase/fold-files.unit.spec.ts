import { expect, it } from 'vitest';
import { foldFileEvents } from './fold-files.fixture.js';

it('folds a phase that wrote 20,000 files without copying the tree for each', () => {
  // With one copy per file this takes minutes.
  const { state, files } = foldFileEvents(20_000);
  expect(Object.keys(state.tree)).toHaveLength(files);
  expect(state.start.workspace.tree).toEqual({});
});

it('gives the same result as folding one event at a time, also for deletions and unusual names', () => {
  const { state, oneByOne } = foldFileEvents(50, ['__proto__', 'constructor', 'a/b']);
  expect(state).toEqual(oneByOne);
  expect(Object.hasOwn(state.tree, '__proto__')).toBe(true);
});
