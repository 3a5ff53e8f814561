import type { OutlineNode } from '../../artifacts/plan-outline.js';
import type { ScheduledTask } from '../../artifacts/schedule.js';
import { buildPointer, type PatchOperation } from '../json-patch.js';
import { findRecurrenceProblem, hasRecurrenceEnd } from '../recurrence-rule.js';
import type { Finding, FixCandidate } from '../violation.js';
import type { ScheduleSubject } from './schedule-check.js';

/** Checks the recurrence of placed tasks: recurring tasks recur, others do not, and each rule is well-formed and ends. */
export function checkRepetitions({ schedule, tree }: ScheduleSubject): readonly Finding[] {
  const tasks = new Map(tree.listTasks().map((node) => [node.id, node]));
  return schedule.tasks.flatMap((placement, index): readonly Finding[] => {
    const node = tasks.get(placement.task);
    return node ? checkRepetition(placement, index, node, tree.findRecurrence(node)) : [];
  });
}

/** `rule`: recurrence rule of the outline, which a fix can use. */
function checkRepetition(
  { recurrence }: ScheduledTask,
  index: number,
  node: OutlineNode,
  rule: string | undefined,
): readonly Finding[] {
  const fixes = buildRuleFix(index, node, recurrence, rule);
  const field = `tasks.${index}.recurrence`;
  const build = (code: Finding['code'], problem: string, instruction: string): readonly Finding[] => [
    { ...{ code, node: node.id, field, fixes }, message: `${field}: ${problem}.`, instruction },
  ];
  const copy = `Copy the recurrence rule of ${node.id} from the outline to ${field}.`;
  if (recurrence === undefined)
    return node.time === 'recurring' ? build('recurrence_missing', `${node.id} recurs, but has no rule`, copy) : [];
  if (node.time === 'once')
    return build('recurrence_misplaced', `${node.id} is done once`, `Remove ${field} of ${node.id}.`);
  const problem = findRecurrenceProblem(recurrence);
  if (problem !== undefined) return build('recurrence_malformed', problem, copy);
  return hasRecurrenceEnd(recurrence) ? [] : build('recurrence_endless', 'the rule has no end', copy);
}

function buildRuleFix(
  index: number,
  node: OutlineNode,
  found: string | undefined,
  rule: string | undefined,
): readonly FixCandidate[] {
  const path = buildPointer('tasks', index, 'recurrence');
  const build = (operation: PatchOperation): readonly FixCandidate[] => [
    { description: `Give ${node.id} the recurrence of the outline.`, operations: [operation] },
  ];
  if (node.time === 'once') return found === undefined ? [] : build({ op: 'remove', path });
  return rule === undefined ? [] : build({ op: 'add', path, value: rule });
}
