import type { OutlineNode } from '../../artifacts/plan-outline.js';
import type { Roadmap } from '../../artifacts/roadmap.js';
import { type Instant, type Interval, parseDay, parseInstant } from '../../calendar/instant.js';
import type { WorkingCalendar } from '../../calendar/working-calendar.js';
import type { OutlineTree } from '../../grammar/outline-tree.js';
import type { PlannedTask } from '../list-planned-tasks.js';

/** A row of the picture, from the top. Phases and milestones have the times of what is in them. */
export type Row = {
  readonly node: OutlineNode;
  readonly span: Interval;
  readonly isCritical: boolean;
} & (
  | { readonly kind: 'phase' }
  | { readonly kind: 'milestone'; readonly due?: Instant }
  | { readonly kind: 'task'; readonly task: PlannedTask }
);

/** Lists the phases of a roadmap, each with its tasks in order; a milestone comes after its last task. What is not scheduled has no row. */
export function listRows(
  tree: OutlineTree,
  roadmap: Roadmap,
  tasks: readonly PlannedTask[],
  calendar: WorkingCalendar,
): readonly Row[] {
  const byId = new Map(tasks.map((task) => [task.node.id, task]));
  return roadmap.phases.flatMap((phase): Row[] => {
    const node = tree.find(phase.node);
    const listed = phase.tasks.flatMap((id) => byId.get(id) ?? []).map(buildTaskRow);
    if (!node || listed.length === 0) return [];
    const milestones = phase.milestones.flatMap(({ node: id, due }): { after: number; row: Row }[] => {
      const milestone = tree.find(id);
      const inside = listed.filter((row) => tree.listAncestors(row.node).some((one) => one.id === id));
      if (!milestone || inside.length === 0) return [];
      const end = due === undefined ? {} : { due: calendar.getWholeDay(parseDay(due)).end };
      const row = { kind: 'milestone', node: milestone, ...summarize(inside), ...end } as const;
      return [{ after: listed.indexOf(inside.at(-1)!), row }];
    });
    const rows = listed.flatMap((row, index) => [
      row,
      ...milestones.filter(({ after }) => after === index).map((milestone) => milestone.row),
    ]);
    return [{ kind: 'phase', node, ...summarize(listed) }, ...rows];
  });
}

/** A task of which every occurrence is left out has the times of its entry. */
function buildTaskRow(task: PlannedTask): Row {
  const { node, entry, occurrences } = task;
  const start = occurrences[0]?.start ?? parseInstant(entry.start);
  const end = occurrences.at(-1)?.end ?? parseInstant(entry.end);
  return { kind: 'task', node, task, isCritical: entry.critical, span: { start, end } };
}

/** From the first start to the last end; critical if what ends last is. */
function summarize(rows: readonly Row[]): Pick<Row, 'span' | 'isCritical'> {
  const last = rows.reduce((latest, row) => (row.span.end > latest.span.end ? row : latest));
  const start = rows.reduce((least, { span }) => Math.min(least, span.start), Infinity);
  return { span: { start, end: last.span.end }, isCritical: last.isCritical };
}
