import { toNodeKind } from '../../artifacts/node-kind.js';
import type { OutlineNode } from '../../artifacts/plan-outline.js';
import { buildPointer } from '../json-patch.js';
import { describeNode } from '../outline-tree.js';
import { endRecurrenceOn, findRecurrenceProblem, hasRecurrenceEnd } from '../recurrence-rule.js';
import type { Finding } from '../violation.js';
import type { OutlineSubject } from './outline-check.js';

/**
 * Checks the recurrence rules: recurring nodes have them, and each is well-formed and ends. The place of a node decides whose rule it
 * shares, so that `misplaced` nodes are left out.
 */
export function checkRecurrences(subject: OutlineSubject, misplaced: ReadonlySet<string>): readonly Finding[] {
  return subject.tree.nodes
    .filter(({ id }) => !misplaced.has(id))
    .flatMap((node) => {
      if (node.recurrence === undefined) return isRuleMissing(subject, node) ? [buildMissing(node)] : [];
      return node.time === 'once' ? [buildMisplaced(subject, node)] : checkRule(subject, node, node.recurrence);
    });
}

function isRuleMissing({ tree, grammar }: OutlineSubject, node: OutlineNode): boolean {
  if (grammar.ends.recurrence?.includes(toNodeKind(node))) return true;
  // Of a branch without a rule, only the topmost node is reported.
  const hasRecurringParent = tree.findParent(node)?.time === 'recurring';
  return node.time === 'recurring' && !hasRecurringParent && tree.findRecurrence(node) === undefined;
}

function buildMissing(node: OutlineNode): Finding {
  return {
    ...{ code: 'recurrence_missing', node: node.id, field: 'recurrence' },
    message: `${describeNode(node)} has no recurrence rule.`,
    instruction: `Set recurrence of ${node.id} to a rule with an end, such as FREQ=WEEKLY;BYDAY=MO;COUNT=12.`,
  };
}

function buildMisplaced({ tree }: OutlineSubject, node: OutlineNode): Finding {
  const index = tree.indexOf(node);
  return {
    ...{ code: 'recurrence_misplaced', node: node.id, field: 'recurrence' },
    message: `${describeNode(node)} has a recurrence rule, but is done once.`,
    instruction: `Remove recurrence of ${node.id}, or set its time to recurring.`,
    fixes: [
      {
        description: `Make ${node.id} recurring.`,
        operations: [{ op: 'replace', path: buildPointer('nodes', index, 'time'), value: 'recurring' }],
      },
      {
        description: `Remove the recurrence rule of ${node.id}.`,
        operations: [{ op: 'remove', path: buildPointer('nodes', index, 'recurrence') }],
      },
    ],
  };
}

function checkRule({ tree, context }: OutlineSubject, node: OutlineNode, rule: string): readonly Finding[] {
  const problem = findRecurrenceProblem(rule);
  const at = { node: node.id, field: 'recurrence' };
  if (problem !== undefined)
    return [
      {
        ...{ code: 'recurrence_malformed', ...at },
        message: `${describeNode(node)}: ${problem}.`,
        instruction: `Write recurrence of ${node.id} as in RFC 5545, such as FREQ=WEEKLY;BYDAY=MO;COUNT=12.`,
      },
    ];
  if (hasRecurrenceEnd(rule)) return [];
  const { end } = context.dates;
  const path = buildPointer('nodes', tree.indexOf(node), 'recurrence');
  return [
    {
      ...{ code: 'recurrence_endless', ...at },
      message: `${describeNode(node)}: its recurrence rule has no end.`,
      instruction: `Add COUNT or UNTIL to recurrence of ${node.id}.`,
      fixes: end
        ? [
            {
              description: `End the recurrence of ${node.id} with the plan.`,
              operations: [{ op: 'replace', path, value: endRecurrenceOn(rule, end) } as const],
            },
          ]
        : [],
    },
  ];
}
