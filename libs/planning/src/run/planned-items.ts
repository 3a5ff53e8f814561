import type { OutlineNode } from '../artifacts/plan-outline.js';
import type { Instant } from '../calendar/instant.js';
import { listPlannedTasks } from '../export/list-planned-tasks.js';
import type { ApprovedPlan } from '../artifacts/approved-plan.js';

/** A task of a plan, or one occurrence of it. */
export interface PlannedItem {
  /** Id of the node; of an occurrence with its number, such as `run#2`. */
  readonly id: string;
  readonly node: OutlineNode;
  readonly phase: OutlineNode | undefined;
  readonly start: Instant;
  readonly end: Instant;
  readonly zone: string;
}

/** Lists what a plan consists of, by start and then by id. Throws as `listPlannedTasks` for a plan that is not valid. */
export function listPlannedItems(plan: ApprovedPlan): readonly PlannedItem[] {
  const counts = new Map<string, number>();
  const items = listPlannedTasks(plan).flatMap(({ entry, node, phase, occurrences }) =>
    occurrences.map((interval): PlannedItem & { readonly isSeries: boolean } => {
      const number = (counts.get(node.id) ?? 0) + 1;
      counts.set(node.id, number);
      const isSeries = entry.recurrence !== undefined;
      return { id: `${node.id}#${number}`, node, phase, zone: entry.zone, ...interval, isSeries };
    }),
  );
  return items
    .map(({ isSeries, ...item }) => (isSeries || counts.get(item.node.id) !== 1 ? item : { ...item, id: item.node.id }))
    .toSorted((one, other) => one.start - other.start || (one.id < other.id ? -1 : 1));
}
