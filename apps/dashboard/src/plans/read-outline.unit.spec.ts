import { describe, expect, it } from 'vitest';
import { buildOutlineTree, readOutline, type OutlineBranch } from './read-outline.js';

const build = (nodes: readonly object[]) => buildOutlineTree(readOutline({ nodes }));
const toIds = (branches: readonly OutlineBranch[]): unknown[] =>
  branches.map(({ node, parts }) => (parts.length === 0 ? node.id : [node.id, ...toIds(parts)]));

describe('the tree of an outline', () => {
  it('has each node below its parent, in the order of the outline', () => {
    const nodes = [
      { id: 'b.1', parent: 'b' },
      { id: 'a', parent: null },
      { id: 'b', parent: null },
      { id: 'a.1', parent: 'a' },
      { id: 'a.1.x', parent: 'a.1' },
      { id: 'b.2', parent: 'b' },
    ];
    expect(toIds(build(nodes))).toEqual([
      ['a', ['a.1', 'a.1.x']],
      ['b', 'b.1', 'b.2'],
    ]);
  });

  it('has each node of an invalid draft once', () => {
    const nodes = [
      { id: 'lost', parent: 'missing' },
      { id: 'x', parent: 'y' },
      { id: 'y', parent: 'x' },
      { id: 'self', parent: 'self' },
      { id: 'twice', parent: null },
      { id: 'twice', parent: null },
      { id: 'part', parent: 'twice' },
    ];
    expect(toIds(build(nodes))).toEqual(['lost', ['twice', 'part'], 'twice', ['x', 'y'], 'self']);
  });

  it('leaves out what has another shape', () => {
    expect(readOutline({ nodes: 'none' })).toEqual([]);
    const measure = { unit: 'km', from: 5, targets: [{ value: 10 }, { value: 21, by: '2027-03-01' }] };
    const [node] = readOutline({ nodes: [7, { id: 'a', title: 3, estimateMinutes: 'x', measure }] });
    expect(node).toMatchObject({ id: 'a', title: '', estimateMinutes: undefined, measure: 'km: 5 → 10 → 21' });
  });
});
