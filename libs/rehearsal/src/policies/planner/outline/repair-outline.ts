import { applyOperations, type NamedField, type RepairOrder } from '../repair.js';
import { outlineSchema, type PlanNode } from '../session.js';

const DEFAULT_MINUTES = 30;

/**
 * Returns the nodes of the last draft with exactly the changes of an order: the first suggested fix, then the named fields as a fresh draft has them. A node that the fresh draft does not have gets the usual value of the field.
 */
export function repairOutline(
  last: readonly PlanNode[],
  order: RepairOrder,
  fresh: readonly PlanNode[],
): readonly PlanNode[] {
  // Each fix was proven alone. The first one can move the paths of the others, which the next validation suggests again.
  const [fix] = order.fixes;
  const { nodes } = fix ? outlineSchema.parse(applyOperations({ nodes: last }, fix)) : { nodes: last };
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
