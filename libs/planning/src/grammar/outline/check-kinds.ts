import { nodeTimes, toNodeKind, type NodeKind } from '../../artifacts/node-kind.js';
import type { OutlineNode } from '../../artifacts/plan-outline.js';
import { listReachableKinds } from '../../patterns/find-pattern-problems.js';
import { buildPointer } from '../json-patch.js';
import { describeNode } from '../outline-tree.js';
import type { Finding, FixCandidate } from '../violation.js';
import { buildMoves } from './check-tree.js';
import type { OutlineSubject } from './outline-check.js';

/** Checks that each node has a kind of the pattern, and is where the pattern allows it. */
export function checkKinds(subject: OutlineSubject): readonly Finding[] {
  const known = listReachableKinds(subject.grammar);
  return subject.tree.nodes.flatMap((node) =>
    known.has(toNodeKind(node)) ? checkContainment(subject, node, known) : [buildUnknownKind(subject, node)],
  );
}

function buildUnknownKind(subject: OutlineSubject, node: OutlineNode): Finding {
  const { tree } = subject;
  const allowed = listAllowedKinds(subject, node);
  const times = nodeTimes.filter((time) => allowed.includes(`${node.level} ${time}`));
  const [time] = times;
  // A rule or a measure shows that the time was chosen on purpose.
  const isLabel = node.recurrence === undefined && node.measure === undefined;
  const fix: FixCandidate[] =
    times.length === 1 && time !== undefined && isLabel
      ? [
          {
            description: `Set the time of ${node.id} to ${time}.`,
            operations: [{ op: 'replace', path: buildPointer('nodes', tree.indexOf(node), 'time'), value: time }],
          },
        ]
      : [];
  return {
    ...{ code: 'pattern_kind_unknown', node: node.id, field: 'time' },
    message: `${describeNode(node)}: the pattern has no nodes of this kind.`,
    instruction: `Set level and time of ${node.id} to one of: ${allowed.join(', ') || 'the kinds of the pattern'}.`,
    fixes: fix,
  };
}

function checkContainment(
  subject: OutlineSubject,
  node: OutlineNode,
  known: ReadonlySet<NodeKind>,
): readonly Finding[] {
  const parent = subject.tree.findParent(node);
  // Unreachable nodes, members of cycles and children of unknown kinds have no container whose rules could be broken.
  if (node.parent !== null && parent === undefined) return [];
  if (subject.tree.isInCycle(node) || (parent && !known.has(toNodeKind(parent)))) return [];
  const allowed = listAllowedKinds(subject, node);
  if (allowed.includes(toNodeKind(node))) return [];
  const container = parent ? describeNode(parent) : 'the plan';
  return [
    {
      ...{ code: 'containment_wrong', node: node.id, field: 'parent' },
      message: `${describeNode(node)}: ${container} may contain only ${allowed.join(', ') || 'nothing'}.`,
      instruction: `Set parent of ${node.id} to a node that may contain it, or change its level and time.`,
      fixes: buildMoves(subject, node),
    },
  ];
}

/** Kinds that the container of a node may contain. */
function listAllowedKinds({ tree, grammar }: OutlineSubject, node: OutlineNode): readonly NodeKind[] {
  const parent = tree.findParent(node);
  return (node.parent === null ? grammar.contains.plan : parent && grammar.contains[toNodeKind(parent)]) ?? [];
}
