import { describe, expect, it } from 'vitest';
import type { OutlineNode } from '../../artifacts/plan-outline.js';
import type { Dependency, DependencyKind } from '../../artifacts/roadmap.js';
import { OutlineTree } from '../outline-tree.js';
import { findDependencyCycle } from './find-dependency-cycle.js';

const node = (id: string, parent: string | null, level: OutlineNode['level']): OutlineNode => ({
  ...{ id, parent, level, time: 'once', title: id, origin: 'system' },
});
/** A milestone with two tasks, and two tasks beside it. */
const tree = new OutlineTree({
  contextHash: 'a'.repeat(64),
  pattern: { patternType: 'milestone_project', introducedBy: 'system' },
  nodes: [
    ...[node('phase', null, 'L1'), node('milestone', 'phase', 'L2'), node('a', 'milestone', 'L3')],
    ...[node('b', 'milestone', 'L3'), node('x', 'phase', 'L3'), node('y', 'phase', 'L3')],
  ],
});
const link = (from: string, kind: DependencyKind, to: string): Dependency => ({
  ...{ from, to, kind, lag: { amount: 0, unit: 'minutes', time: 'elapsed' } },
});
const find = (...dependencies: readonly Dependency[]) => findDependencyCycle(tree, dependencies)?.toSorted();

describe('a cycle of dependencies', () => {
  it.each<[string, readonly Dependency[], readonly string[] | undefined]>([
    [
      'is a task that waits for itself over others',
      [link('a', 'FS', 'x'), link('x', 'FS', 'y'), link('y', 'FS', 'a')],
      ['a', 'x', 'y'],
    ],
    [
      'goes through a milestone that waits for what its task precedes',
      [link('x', 'FS', 'milestone'), link('a', 'FS', 'x')],
      ['a', 'milestone', 'x'],
    ],
    [
      'goes through a task that waits for its milestone over another',
      [link('milestone', 'FS', 'x'), link('x', 'FS', 'a')],
      ['a', 'milestone', 'x'],
    ],
    ['is none between start and finish', [link('a', 'SS', 'x'), link('x', 'FF', 'a')], undefined],
    ['is none in a chain', [link('a', 'FS', 'b'), link('b', 'FS', 'x'), link('milestone', 'FS', 'y')], undefined],
  ])('%s', (_name, dependencies, expected) => {
    expect(find(...dependencies)).toEqual(expected);
  });
});
