import { getKindDepth, toNodeKind } from '../../artifacts/node-kind.js';
import type { OutlineNode } from '../../artifacts/plan-outline.js';
import { buildPointer, type PatchOperation } from '../json-patch.js';
import { describeNode, isTaskLevel } from '../outline-tree.js';
import type { Finding } from '../violation.js';
import type { OutlineSubject } from './outline-check.js';

/** Checks that the plan has the parts that its pattern needs: L1 nodes, needed kinds, no empty phases and milestones. */
export function checkParts(subject: OutlineSubject): readonly Finding[] {
  const level1 = subject.tree.nodes.filter(({ level }) => level === 'L1');
  return [
    ...checkLevel1Count(subject, level1.length),
    ...checkLevel1Titles(subject, level1),
    ...(level1.length < subject.grammar.level1.min ? [] : checkNeeds(subject)),
    ...checkEmptyNodes(subject),
  ];
}

function checkLevel1Count({ grammar: { level1, contains } }: OutlineSubject, count: number): readonly Finding[] {
  const kinds = contains.plan!.join(' or ');
  const at = { node: null, field: 'nodes' };
  if (count < level1.min)
    return [
      {
        ...{ code: 'level1_missing', ...at },
        message: `The plan has ${count} L1 nodes; the pattern needs at least ${level1.min}.`,
        instruction: `Add nodes of the kind ${kinds} to nodes, until there are ${level1.min}, each with its tasks.`,
      },
    ];
  if (count <= level1.max) return [];
  return [
    {
      ...{ code: 'level1_surplus', ...at },
      message: `The plan has ${count} L1 nodes; the pattern allows ${level1.max}.`,
      instruction: `Merge L1 nodes in nodes, until there are at most ${level1.max}. Keep their tasks.`,
    },
  ];
}

function checkLevel1Titles({ tree }: OutlineSubject, level1: readonly OutlineNode[]): readonly Finding[] {
  const titles = level1.map(({ title }) => normaliseTitle(title));
  return level1.flatMap((node, index): Finding[] => {
    const first = level1[titles.indexOf(titles[index]!)]!;
    if (first === node) return [];
    const moves = tree.listChildren(node.id).map((child): PatchOperation => {
      return { op: 'replace', path: buildPointer('nodes', tree.indexOf(child), 'parent'), value: first.id };
    });
    return [
      {
        ...{ code: 'level1_doubled', node: node.id, field: 'title' },
        message: `${describeNode(node)} has the title of ${first.id}.`,
        instruction: `Change the title of ${node.id}, or move what it contains into ${first.id}.`,
        fixes: [
          {
            description: `Move what ${node.id} contains into ${first.id}, and remove ${node.id}.`,
            operations: [...moves, { op: 'remove', path: buildPointer('nodes', tree.indexOf(node)) }],
          },
        ],
      },
    ];
  });
}

function normaliseTitle(title: string): string {
  return title.toLowerCase().replace(/\s+/g, ' ').trim();
}

function checkNeeds({ tree, grammar }: OutlineSubject): readonly Finding[] {
  const kinds = new Set(tree.nodes.map(toNodeKind));
  return grammar.needs
    .filter((kind) => !kinds.has(kind))
    .map((kind) => ({
      ...{ code: 'pattern_part_missing', node: null, field: `nodes, ${kind}` },
      message: `The pattern needs a node of the kind ${kind}.`,
      instruction: `Add at least one node of the kind ${kind} to nodes${getKindDepth(kind) < 3 ? ', with its tasks' : ''}.`,
    }));
}

function checkEmptyNodes({ tree }: OutlineSubject): readonly Finding[] {
  return tree.nodes
    .filter((node) => !isTaskLevel(node) && tree.listChildren(node.id).length === 0)
    .map((node) => ({
      ...{ code: 'node_empty', node: node.id, field: 'parent' },
      message: `${describeNode(node)} contains nothing.`,
      instruction: `Add a task whose parent is ${node.id}, or remove ${node.id}.`,
    }));
}
