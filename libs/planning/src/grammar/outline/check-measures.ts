import { toNodeKind } from '../../artifacts/node-kind.js';
import type { Measure, OutlineNode } from '../../artifacts/plan-outline.js';
import { buildPointer } from '../json-patch.js';
import { describeNode } from '../outline-tree.js';
import type { Finding, FixCandidate } from '../violation.js';
import type { OutlineSubject } from './outline-check.js';

/** Checks the measures: cumulative nodes have them, others do not, and their targets rise. `misplaced` nodes are left out. */
export function checkMeasures(subject: OutlineSubject, misplaced: ReadonlySet<string>): readonly Finding[] {
  const targetKinds = subject.grammar.ends.target ?? [];
  return subject.tree.nodes.flatMap((node): readonly Finding[] => {
    if (misplaced.has(node.id)) return [];
    if (node.time !== 'cumulative') return node.measure ? [buildMisplaced(subject, node)] : [];
    if (node.measure) return checkTargets(subject, node, node.measure);
    // Of a branch without a measure, only the topmost node is reported.
    const hasCumulativeParent = subject.tree.findParent(node)?.time === 'cumulative';
    return hasCumulativeParent && !targetKinds.includes(toNodeKind(node)) ? [] : [buildMissing(node, 'measure')];
  });
}

function buildMissing(node: OutlineNode, field: string): Finding {
  return {
    ...{ code: 'measure_missing', node: node.id, field },
    message: `${describeNode(node)} has no ${field === 'measure' ? 'measure' : 'targets'}.`,
    instruction: `Set ${field} of ${node.id}: unit, value at the start, and values to reach, each greater than the last.`,
  };
}

function checkTargets({ tree }: OutlineSubject, node: OutlineNode, measure: Measure): readonly Finding[] {
  const { from, targets } = measure;
  if (targets.length === 0) return [buildMissing(node, 'measure.targets')];
  const days = targets.flatMap(({ by }) => by ?? []);
  const rises = targets.every(({ value }, index) => value > (targets[index - 1]?.value ?? from));
  const isInOrder = days.every((day, index) => index === 0 || day >= days[index - 1]!);
  if (rises && isInOrder) return [];
  return [
    {
      ...{ code: 'targets_not_rising', node: node.id, field: 'measure.targets' },
      message: `${describeNode(node)}: its targets do not rise from ${from} in the order of their days.`,
      instruction: `Set measure.targets of ${node.id} so that each value is greater than the one before it, from ${from}.`,
      fixes: [
        {
          description: `Sort the targets of ${node.id}, and remove those that are reached already.`,
          operations: [
            {
              op: 'replace',
              path: buildPointer('nodes', tree.indexOf(node), 'measure', 'targets'),
              value: sortTargets(measure).map(({ value, by }) => ({ value, ...(by !== undefined && { by }) })),
            },
          ],
        },
      ],
    },
  ];
}

/** Targets in rising order, without those at or below the start. Of equal values, the first is kept. */
function sortTargets({ from, targets }: Measure): Measure['targets'] {
  return targets
    .filter(({ value }, index) => value > from && targets.findIndex((other) => other.value === value) === index)
    .toSorted((one, other) => one.value - other.value);
}

function buildMisplaced({ tree }: OutlineSubject, node: OutlineNode): Finding {
  const index = tree.indexOf(node);
  const fixes: FixCandidate[] = [
    {
      description: `Make ${node.id} cumulative.`,
      operations: [{ op: 'replace', path: buildPointer('nodes', index, 'time'), value: 'cumulative' }],
    },
    {
      description: `Remove the measure of ${node.id}.`,
      operations: [{ op: 'remove', path: buildPointer('nodes', index, 'measure') }],
    },
  ];
  return {
    ...{ code: 'measure_misplaced', node: node.id, field: 'measure' },
    message: `${describeNode(node)} has a measure, but is not cumulative.`,
    instruction: `Remove measure of ${node.id}, or set its time to cumulative.`,
    fixes,
  };
}
