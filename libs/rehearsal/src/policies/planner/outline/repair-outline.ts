import type { JsonValue } from '@phaseline/basics';
import { applyOperations, type NamedField, type RepairOrder } from '../repair.js';
import type { PlanNode } from '../session.js';

const DEFAULT_MINUTES = 30;

/**
 * Returns the nodes of the last draft with exactly the changes of an order: suggested fixes, one after another, then the named fields as a fresh draft
 * has them. A node that the fresh draft does not have gets the usual value of the field.
 */
export function repairOutline(
  last: readonly PlanNode[],
  order: RepairOrder,
  fresh: readonly PlanNode[],
): readonly PlanNode[] {
  // Paths of fixes are those of the artifact. Each was proven for the whole artifact alone, and the first changes the paths of the others.
  const [fix] = order.fixes;
  const before = { nodes: last } as unknown as JsonValue;
  const { nodes } = (fix ? applyOperations(before, fix) : before) as unknown as { readonly nodes: readonly PlanNode[] };
  return order.fields.reduce(
    (all, named) => all.map((node) => (node.id === named.node ? changeField(node, named, fresh, all) : node)),
    nodes,
  );
}

function changeField(
  node: PlanNode,
  { field }: NamedField,
  fresh: readonly PlanNode[],
  all: readonly PlanNode[],
): PlanNode {
  const own = fresh.find(({ id }) => id === node.id);
  const alike =
    own ?? fresh.find((other) => other.level === node.level && other.time === node.time && other[field] !== undefined);
  switch (field) {
    case 'estimateMinutes': {
      const parts = all
        .filter(({ parent }) => parent === node.id)
        .reduce((sum, { estimateMinutes = 0 }) => sum + estimateMinutes, 0);
      return { ...node, estimateMinutes: Math.max(parts, own?.estimateMinutes ?? DEFAULT_MINUTES) };
    }
    case 'endCriterion':
      return { ...node, endCriterion: own?.endCriterion ?? `A person has seen that this is done: ${node.title}` };
    case 'recurrence':
      return alike?.recurrence === undefined ? node : { ...node, recurrence: alike.recurrence };
    case 'measure':
      return alike?.measure === undefined ? node : { ...node, measure: alike.measure };
    case 'title':
      return { ...node, title: own && own.title !== node.title ? own.title : `${node.title} (${node.id})` };
    default:
      return own ? { ...node, [field]: own[field] } : node;
  }
}
