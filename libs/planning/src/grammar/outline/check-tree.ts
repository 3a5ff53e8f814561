import { toCanonicalJson } from '@phaseline/basics';
import type { OutlineNode } from '../../artifacts/plan-outline.js';
import { buildPointer } from '../json-patch.js';
import { describeNode, isTaskLevel } from '../outline-tree.js';
import type { Finding, FixCandidate } from '../violation.js';
import type { OutlineSubject } from './outline-check.js';

/** Checks that the nodes form a tree: unique ids, parents that exist, no cycles. */
export function checkTree(subject: OutlineSubject): readonly Finding[] {
  return [...checkIds(subject), ...checkParents(subject), ...checkCycles(subject)];
}

function checkIds({ outline, tree }: OutlineSubject): readonly Finding[] {
  const ids = new Set(outline.nodes.map(({ id }) => id));
  return outline.nodes.flatMap((node, index): Finding[] => {
    const first = tree.find(node.id)!;
    if (tree.indexOf(first) === index) return [];
    return [
      {
        ...{ code: 'node_duplicated', node: node.id, field: 'id' },
        message: `The id ${node.id} is used more than once.`,
        instruction: `Give one of the nodes with the id ${node.id} another id.`,
        fixes: [buildIdFix(node, first, index, ids)],
      },
    ];
  });
}

/** A copy is removed, and so is a phase or milestone, since its children find the first one. A different task gets an id of its own. */
function buildIdFix(node: OutlineNode, first: OutlineNode, index: number, ids: ReadonlySet<string>): FixCandidate {
  const isCopy = toCanonicalJson(node) === toCanonicalJson(first);
  if (isCopy || !isTaskLevel(node))
    return {
      description: `Remove the second node with the id ${node.id}.`,
      operations: [{ op: 'remove', path: buildPointer('nodes', index) }],
    };
  let number = 2;
  while (ids.has(`${node.id}-${number}`)) number++;
  return {
    description: `Rename the second node with the id ${node.id}.`,
    operations: [{ op: 'replace', path: buildPointer('nodes', index, 'id'), value: `${node.id}-${number}` }],
  };
}

function checkParents(subject: OutlineSubject): readonly Finding[] {
  const { tree } = subject;
  return tree.nodes
    .filter((node) => node.parent !== null && tree.findParent(node) === undefined)
    .map((node) => ({
      ...{ code: 'node_unreachable', node: node.id, field: 'parent' },
      message: `${describeNode(node)}: its parent ${node.parent} does not exist.`,
      instruction: `Set parent of ${node.id} to the id of the node that contains it.`,
      fixes: buildMoves(subject, node),
    }));
}

/** Returns the move of a node into the only place that may contain it; empty if there are several, because the choice is content. */
export function buildMoves({ tree, grammar }: OutlineSubject, node: OutlineNode): readonly FixCandidate[] {
  const kind = `${node.level} ${node.time}` as const;
  const parents: (string | null)[] = tree.nodes
    .filter((other) => other !== node && grammar.contains[`${other.level} ${other.time}`]?.includes(kind))
    .map(({ id }) => id);
  if (grammar.contains.plan?.includes(kind)) parents.push(null);
  const [parent] = parents;
  if (parents.length !== 1 || parent === undefined) return [];
  return [
    {
      description: parent === null ? `Make ${node.id} a node of the plan.` : `Move ${node.id} into ${parent}.`,
      operations: [{ op: 'replace', path: buildPointer('nodes', tree.indexOf(node), 'parent'), value: parent }],
    },
  ];
}

function checkCycles({ tree }: OutlineSubject): readonly Finding[] {
  return tree.cycles.map((cycle) => {
    const ids = cycle.map(({ id }) => id);
    const first = cycle[0]!;
    const phase = cycle.find(({ level }) => level === 'L1');
    return {
      ...{ code: 'parent_cycle', node: first.id, field: 'parent' },
      message: `These nodes contain each other: ${ids.join(', ')}.`,
      instruction: `Set parent of ${first.id} to a node that is not among ${ids.join(', ')}.`,
      fixes: phase
        ? [
            {
              description: `Make ${phase.id} a node of the plan.`,
              operations: [
                { op: 'replace', path: buildPointer('nodes', tree.indexOf(phase), 'parent'), value: null } as const,
              ],
            },
          ]
        : [],
    };
  });
}
