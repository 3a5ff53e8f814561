import type { OutlineNode } from '../artifacts/plan-outline.js';
import { formatInstant } from '../calendar/instant.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import type { ApprovedPlan } from '../artifacts/approved-plan.js';
import { listPlannedItems } from './planned-items.js';

/** A plan as nodes and relationships of a graph. Ids are unique in the graph: those of the plan come before those of its nodes. */
export interface PlanRecords {
  readonly goal: Readonly<Record<'id' | 'goal' | 'user' | 'pattern' | 'contentHash', string>>;
  /** Milestones and tasks, each with the node to which it belongs. */
  readonly milestones: readonly NodeRecord[];
  readonly tasks: readonly (NodeRecord & Readonly<Record<'start' | 'end' | 'agent', string>>)[];
  readonly dependencies: readonly Readonly<Record<'from' | 'to' | 'kind', string>>[];
}

interface NodeRecord {
  readonly id: string;
  readonly title: string;
  /** Id of its milestone or, if it has none, of the goal. */
  readonly parent: string;
}

/**
 * Lists what a graph stores of a plan. A recurring task is one task, from its first start to its last end; a dependency on a node that is neither a task nor a
 * milestone is one on each of its tasks.
 */
export function listPlanRecords(plan: ApprovedPlan, planId: string, contentHash: string): PlanRecords {
  const tree = new OutlineTree(plan.outline);
  const toId = (id: string): string => `${planId}/${id}`;
  const times = new Map<string, { start: number; end: number }>();
  for (const { node, start, end } of listPlannedItems(plan)) {
    const known = times.get(node.id) ?? { start, end };
    times.set(node.id, { start: Math.min(known.start, start), end: Math.max(known.end, end) });
  }
  const tasks = plan.outline.nodes.filter(({ id }) => times.has(id));
  const milestones = plan.outline.nodes.filter(({ id, level }) => level === 'L2' && !times.has(id));
  const stored = new Set([...tasks, ...milestones].map(({ id }) => id));
  const toRecord = (node: OutlineNode): NodeRecord => {
    const milestone = tree.listAncestors(node).find(({ id }) => stored.has(id));
    return { id: toId(node.id), title: node.title, parent: milestone ? toId(milestone.id) : planId };
  };
  const expand = (id: string): readonly string[] =>
    stored.has(id) ? [id] : tree.listChildren(id).flatMap((child) => expand(child.id));
  const { goal, user } = plan.context;
  return {
    goal: { id: planId, goal, user, pattern: plan.outline.pattern.patternType, contentHash },
    milestones: milestones.map(toRecord),
    tasks: tasks.map((node) => {
      const { start, end } = times.get(node.id)!;
      return { ...toRecord(node), start: formatInstant(start), end: formatInstant(end), agent: node.agent ?? '' };
    }),
    dependencies: plan.roadmap.dependencies.flatMap(({ from, to, kind }) =>
      expand(from).flatMap((first) => expand(to).map((last) => ({ from: toId(first), to: toId(last), kind }))),
    ),
  };
}
