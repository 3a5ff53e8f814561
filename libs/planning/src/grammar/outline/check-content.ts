import { toNodeKind } from '../../artifacts/node-kind.js';
import type { OutlineNode } from '../../artifacts/plan-outline.js';
import { buildPointer } from '../json-patch.js';
import { describeNode } from '../outline-tree.js';
import type { Finding } from '../violation.js';
import type { OutlineSubject } from './outline-check.js';

/** Checks dates, estimates and end criteria. */
export function checkContent(subject: OutlineSubject): readonly Finding[] {
  const { tree, grammar } = subject;
  const endKinds = grammar.ends.criterion ?? [];
  return [
    ...checkDates(subject),
    ...tree
      .listTasks()
      .filter(({ estimateMinutes }) => estimateMinutes === undefined)
      .map(buildMissingEstimate),
    ...tree.nodes.flatMap((node) => checkEstimateOfParts(subject, node)),
    ...tree.nodes
      .filter((node) => endKinds.includes(toNodeKind(node)) && node.endCriterion === undefined)
      .map(buildMissingCriterion),
  ];
}

function checkDates({ context: { dates } }: OutlineSubject): readonly Finding[] {
  if (dates.end === undefined || dates.start <= dates.end) return [];
  return [
    {
      ...{ code: 'dates_contradict', node: null, field: 'context.dates.end' },
      message: `The plan ends on ${dates.end}, before it starts on ${dates.start}.`,
      instruction: 'Ask the person for the first and the last day of the plan (dates.start and dates.end).',
    },
  ];
}

function buildMissingEstimate(node: OutlineNode): Finding {
  return {
    ...{ code: 'estimate_missing', node: node.id, field: 'estimateMinutes' },
    message: `${describeNode(node)} has no estimate.`,
    instruction: `Set estimateMinutes of ${node.id} to the minutes of work that "${node.title}" takes.`,
  };
}

function checkEstimateOfParts({ tree }: OutlineSubject, node: OutlineNode): readonly Finding[] {
  const parts = tree.listChildren(node.id).map(({ estimateMinutes }) => estimateMinutes ?? 0);
  const sum = parts.reduce((total, minutes) => total + minutes, 0);
  // Tasks below phases recur at different rates, so that only the actions of a task add up to it.
  if (node.level !== 'L3' || node.estimateMinutes === undefined || node.estimateMinutes >= sum) return [];
  return [
    {
      ...{ code: 'estimate_below_parts', node: node.id, field: 'estimateMinutes' },
      message: `${describeNode(node)}: its estimate is ${node.estimateMinutes} minutes; its actions take ${sum}.`,
      instruction: `Set estimateMinutes of ${node.id} to at least ${sum}, or lower the estimates of its actions.`,
      fixes: [
        {
          description: `Set the estimate of ${node.id} to the sum of its actions.`,
          operations: [
            { op: 'replace', path: buildPointer('nodes', tree.indexOf(node), 'estimateMinutes'), value: sum },
          ],
        },
      ],
    },
  ];
}

function buildMissingCriterion(node: OutlineNode): Finding {
  return {
    ...{ code: 'end_criterion_missing', node: node.id, field: 'endCriterion' },
    message: `${describeNode(node)} has no end criterion.`,
    instruction: `Set endCriterion of ${node.id}: how does a person recognise that "${node.title}" is reached?`,
  };
}
