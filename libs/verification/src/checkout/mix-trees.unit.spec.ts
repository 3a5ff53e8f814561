import { verifierDefinitionSchema } from '@phaseline/contracts';
import type { Tree } from '@phaseline/workspace';
import { describe, expect, it } from 'vitest';
import { mixTrees } from './mix-trees.js';

const definition = verifierDefinitionSchema.parse({
  name: 'unit',
  argv: ['true'],
  inputs: ['test/**', '**/*.test.js'],
});

/** Files by path, each with its content as its hash. */
const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  Object.fromEntries(
    Object.entries(files).map(([path, hash]) => [path, { hash, size: 1, writtenAt: '2026-01-01T00:00:00.000Z' }]),
  );

describe('the files of the beginning with the tests of now', () => {
  it('have the added inputs, and neither the new source nor changed inputs', () => {
    const begin = treeOf({ 'src/a.js': 'old', 'src/gone.js': 'old', 'test/a.js': 'old' });
    const claimed = treeOf({ 'src/a.js': 'new', 'src/b.js': 'new', 'test/a.js': 'new', 'test/b.js': 'new' });
    expect(mixTrees(definition, { begin, claimed })).toEqual(
      treeOf({ 'src/a.js': 'old', 'src/gone.js': 'old', 'test/a.js': 'old', 'test/b.js': 'new' }),
    );
  });

  it('are those of the folder of the verifier', () => {
    const claimed = treeOf({ 'test/a.js': 'new', 'repository/test/a.js': 'new' });
    expect(mixTrees({ ...definition, folder: 'repository/' }, { begin: {}, claimed })).toEqual(
      treeOf({ 'repository/test/a.js': 'new' }),
    );
  });

  it('are none without an added input', () => {
    const begin = treeOf({ 'test/a.js': 'old' });
    expect(mixTrees(definition, { begin, claimed: treeOf({ 'test/a.js': 'new', 'src/a.js': 'new' }) })).toBeUndefined();
  });

  it('lack a file in whose place a test is now, because a disk cannot hold both', () => {
    const begin = treeOf({ src: 'old', 'b.test.js/c.js': 'old' });
    const claimed = treeOf({ 'src/a.test.js': 'new', 'b.test.js': 'new' });
    expect(mixTrees(definition, { begin, claimed })).toEqual(claimed);
  });
});
