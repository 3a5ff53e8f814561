import type { SeededRandom } from '@phaseline/testing';
import { nodeTimes, toNodeKind } from '../artifacts/node-kind.js';
import type { OutlineNode, PlanOutline } from '../artifacts/plan-outline.js';
import { listReachableKinds } from '../patterns/find-pattern-problems.js';
import { isTaskLevel, OutlineTree } from './outline-tree.js';
import type { ValidPlan } from './valid-plan.fixture.js';
import type { ViolationCode } from './violation-kinds.js';

/** Breaks one rule of an artifact; `undefined` if the plan has nothing that could break it. */
export type Fault<Artifact> = (plan: ValidPlan, random: SeededRandom) => Artifact | undefined;

type OutlineFault = Fault<PlanOutline>;

/** Changes a node that fulfils a condition. */
const changeNode =
  (
    canChange: (node: OutlineNode, tree: OutlineTree, plan: ValidPlan) => boolean,
    change: (node: OutlineNode, tree: OutlineTree, plan: ValidPlan) => Partial<OutlineNode>,
  ): OutlineFault =>
  (plan, random) => {
    const { outline } = plan;
    const tree = new OutlineTree(outline);
    const nodes = outline.nodes.filter((node) => canChange(node, tree, plan));
    if (nodes.length === 0) return undefined;
    const node = random.pick(nodes);
    const changed = Object.fromEntries(
      Object.entries({ ...node, ...change(node, tree, plan) }).filter(([, value]) => value !== undefined),
    ) as OutlineNode;
    return { ...outline, nodes: outline.nodes.map((one) => (one === node ? changed : one)) };
  };

const isLeaf = (node: OutlineNode, tree: OutlineTree): boolean => tree.listChildren(node.id).length === 0;
const hasSiblings = (node: OutlineNode, tree: OutlineTree): boolean =>
  node.parent !== null && tree.listChildren(node.parent).length > 1;
const isTop = (node: OutlineNode, tree: OutlineTree): boolean => tree.findParent(node)?.time !== node.time;
const isEnd = (node: OutlineNode, { grammar }: ValidPlan, end: 'criterion' | 'recurrence' | 'target'): boolean =>
  grammar.ends[end]?.includes(toNodeKind(node)) ?? false;
const isNeeded = (node: OutlineNode, tree: OutlineTree, { grammar }: ValidPlan): boolean =>
  grammar.needs.includes(toNodeKind(node)) &&
  tree.nodes.filter((other) => toNodeKind(other) === toNodeKind(node)).length === 1;
/** A task whose removal or move leaves everything else valid. */
const isSpare = (node: OutlineNode, tree: OutlineTree, plan: ValidPlan): boolean =>
  node.level === 'L3' && isLeaf(node, tree) && hasSiblings(node, tree) && !isNeeded(node, tree, plan);

const keep = (outline: PlanOutline, isKept: (node: OutlineNode) => boolean): PlanOutline => ({
  ...outline,
  nodes: outline.nodes.filter(isKept),
});

/** One fault per kind of violation of outlines. */
export const outlineFaults: Partial<Readonly<Record<ViolationCode, OutlineFault>>> = {
  parent_hash_differs: ({ outline }) => ({ ...outline, contextHash: 'f'.repeat(64) }),
  pattern_mirror_differs: ({ outline }) => ({ ...outline, pattern: { ...outline.pattern, variant: 'Another' } }),
  node_duplicated: ({ outline }, random) => ({ ...outline, nodes: [...outline.nodes, random.pick(outline.nodes)] }),
  node_unreachable: changeNode(isSpare, () => ({ parent: 'nowhere' })),
  parent_cycle: changeNode(
    ({ level }) => level === 'L1',
    ({ id }, tree) => ({ parent: tree.listChildren(id)[0]!.id }),
  ),
  containment_wrong: changeNode(isSpare, () => ({ parent: null })),
  pattern_kind_unknown: changeNode(
    (node, tree, plan) =>
      isSpare(node, tree, plan) &&
      node.recurrence === undefined &&
      node.measure === undefined &&
      !!findUnknown(node, plan),
    (node, _, plan) => ({ time: findUnknown(node, plan)! }),
  ),
  pattern_part_missing: ({ outline, grammar }, random) => {
    const kind = random.pick(grammar.needs.filter((one) => !one.startsWith('L1')));
    const tree = new OutlineTree(outline);
    const isGone = (node: OutlineNode): boolean =>
      [node, ...tree.listAncestors(node)].some((one) => toNodeKind(one) === kind);
    const rest = keep(outline, (node) => !isGone(node));
    const smaller = new OutlineTree(rest);
    const isSound = smaller.nodes.every((node) => isTaskLevel(node) || !isLeaf(node, smaller));
    const hasOthers = grammar.needs.every(
      (one) => one === kind || smaller.nodes.some((node) => toNodeKind(node) === one),
    );
    return isSound && hasOthers && smaller.listTasks().every((node) => node.estimateMinutes) ? rest : undefined;
  },
  level1_missing: ({ outline, grammar }) => {
    const tree = new OutlineTree(outline);
    const kept = tree.nodes.filter(({ level }) => level === 'L1').slice(0, grammar.level1.min - 1);
    return keep(outline, (node) => kept.includes(tree.findPhase(node)!));
  },
  level1_surplus: ({ outline, grammar }) => {
    const tree = new OutlineTree(outline);
    const phase = tree.nodes.find(({ level }) => level === 'L1')!;
    const branch = tree.nodes.filter((node) => tree.findPhase(node) === phase);
    const copies = Array.from({ length: grammar.level1.max }, (_, copy) =>
      branch.map((node) => ({
        ...node,
        ...{ id: `${node.id}-${copy}`, title: `${node.title}, ${copy}` },
        parent: node.parent && `${node.parent}-${copy}`,
      })),
    );
    return { ...outline, nodes: [...outline.nodes, ...copies.flat()] };
  },
  level1_doubled: changeNode(
    (node, tree) => node.level === 'L1' && tree.nodes.some((other) => other.level === 'L1' && other !== node),
    (node, tree) => ({
      title: ` ${tree.nodes.find((other) => other.level === 'L1' && other !== node)!.title.toUpperCase()}`,
    }),
  ),
  node_empty: ({ outline, selectedPattern, grammar }, random) => {
    const kinds = [...listReachableKinds(grammar)].filter((kind) => kind.startsWith('L2'));
    const phase = outline.nodes.find((node) =>
      grammar.contains[toNodeKind(node)]?.some((kind) => kinds.includes(kind)),
    );
    if (!phase) return undefined;
    const kind = random.pick(grammar.contains[toNodeKind(phase)]!.filter((one) => kinds.includes(one)));
    const time = kind.slice(3) as OutlineNode['time'];
    const empty: OutlineNode = {
      ...{ id: 'empty', parent: phase.id, level: 'L2', time, title: 'Empty', endCriterion: 'Done', origin: 'system' },
      ...(time === 'recurring' && { recurrence: 'FREQ=DAILY;COUNT=2' }),
      ...(time === 'cumulative' && {
        measure: { unit: selectedPattern.patternType, from: 0, targets: [{ value: 1 }] },
      }),
    };
    return { ...outline, nodes: [...outline.nodes, empty] };
  },
  estimate_missing: changeNode(isLeaf, () => ({ estimateMinutes: undefined })),
  estimate_below_parts: changeNode(
    (node, tree) => node.level === 'L3' && !isLeaf(node, tree),
    () => ({ estimateMinutes: 1 }),
  ),
  end_criterion_missing: changeNode(
    (node, _, plan) => isEnd(node, plan, 'criterion'),
    () => ({ endCriterion: undefined }),
  ),
  recurrence_missing: changeNode(
    (node, tree, plan) => node.time === 'recurring' && (isEnd(node, plan, 'recurrence') || isTop(node, tree)),
    () => ({ recurrence: undefined }),
  ),
  recurrence_malformed: changeNode(
    ({ recurrence }) => recurrence !== undefined,
    () => ({ recurrence: 'EVERY=MONDAY;COUNT=2' }),
  ),
  recurrence_endless: changeNode(
    ({ recurrence }) => recurrence !== undefined,
    () => ({ recurrence: 'FREQ=WEEKLY' }),
  ),
  recurrence_misplaced: changeNode(
    ({ time }) => time === 'once',
    () => ({ recurrence: 'FREQ=WEEKLY;COUNT=2' }),
  ),
  measure_missing: changeNode(
    (node, tree, plan) => node.time === 'cumulative' && (isEnd(node, plan, 'target') || isTop(node, tree)),
    () => ({ measure: undefined }),
  ),
  measure_misplaced: changeNode(
    ({ time }) => time !== 'cumulative',
    () => ({ measure: { unit: 'kilometres', from: 0, targets: [{ value: 5 }] } }),
  ),
  targets_not_rising: changeNode(
    ({ measure }) => measure !== undefined,
    ({ measure }) => ({
      measure: { ...measure!, targets: measure!.targets.toReversed().map(({ value }) => ({ value })) },
    }),
  ),
};

/** A time at which the pattern has no nodes of the level. */
function findUnknown(node: OutlineNode, { grammar }: ValidPlan): OutlineNode['time'] | undefined {
  const known = listReachableKinds(grammar);
  return nodeTimes.find((time) => !known.has(`${node.level} ${time}`));
}
