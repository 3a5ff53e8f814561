import type { OutlineNode } from '../artifacts/plan-outline.js';
import { type Interval, parseDay } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import type { ScheduleProblem, ScheduleTask } from '../schedule/schedule-problem.js';
import type { UnplacedSeries } from './find-first-start.js';
import { buildDates, collectNodeDays, type NodeDays } from './node-dates.js';
import { PlanGraph } from './plan-graph.js';
import type { PlanInput } from './plan-input.js';
import { placeSeries } from './place-series.js';
import { parseTaskId } from './task-id.js';
import { buildCalendarSpec, buildProfile, buildWindow, measureWorkingDay } from './read-context.js';
import { normalizeRule } from './series-days.js';

/**
 * States what is to be scheduled. Ids are those of the outline; milestones have zero minutes, and the start and end of other containers are
 * milestones with the ids `node@start` and `node@end`, where something depends on them.
 *
 * - A fixed day of a task is its start, at the first open time with room; of a recurring task, its first day if the
 *   rule has it; of a milestone or container, its end; without a node it is only a fact.
 * - A due day and the day of the last target of a measure are the latest end of everything in their node.
 * - Without an end the plan has two years, and its work begins as early as possible.
 * - A day of a working lag has the mean open minutes of the weekdays that have hours.
 * - A dependency between tasks that recur by the rule of the same node holds in each round. Between other recurring tasks, it holds from the last
 *   occurrence to the first.
 *
 * The artifacts are valid. Throws a RangeError for a calendar without hours and for a task without an estimate.
 */
export function buildScheduleProblem(input: PlanInput): ScheduleProblem {
  const { context, outline, roadmap, taken = [] } = input;
  const tree = new OutlineTree(outline);
  const spec = buildCalendarSpec(context);
  const calendar = new WorkingCalendar(spec);
  const graph = new PlanGraph(tree, roadmap, measureWorkingDay(spec));
  const days = collectNodeDays(input);
  requireMilestones(tree, graph, days);
  const problem: ScheduleProblem = {
    calendar: spec,
    window: buildWindow(context, calendar),
    tasks: buildTasks(
      { tree, graph, days, calendar, taken },
      roadmap.phases.flatMap(({ tasks }) => tasks),
    ),
    series: [],
    links: graph.links,
    capacity: context.capacity,
    taken,
    profile: buildProfile(context),
  };
  return { ...problem, series: placeSeries(problem, listSeries(tree, days, context.zone), graph.roundLinks) };
}

/** Nodes whose end is dated, apart from tasks that have the date themselves. */
function requireMilestones(tree: OutlineTree, graph: PlanGraph, { fixed, due }: NodeDays): void {
  for (const id of new Set([...fixed.keys(), ...due.keys()])) {
    const node = tree.find(id);
    if (!node) continue;
    const isContainer = tree.listChildren(id).length > 0;
    if (isContainer || (due.has(id) && tree.findRecurrence(node) !== undefined)) graph.requireEnd(node);
  }
}

function buildTasks(
  {
    tree,
    graph,
    days,
    calendar,
    taken,
  }: {
    readonly tree: OutlineTree;
    readonly graph: PlanGraph;
    readonly days: NodeDays;
    readonly calendar: WorkingCalendar;
    readonly taken: readonly Interval[];
  },
  order: readonly string[],
): readonly ScheduleTask[] {
  const busy = [...taken];
  const leaves = new Set(tree.listTasks().filter((node) => tree.findRecurrence(node) === undefined));
  const build = (id: string, node: string, minutes: number): ScheduleTask => {
    const dates = buildDates(days, node, { minutes, calendar, busy });
    if (dates.fixedStart !== undefined) busy.push({ start: dates.fixedStart, end: dates.fixedStart + minutes });
    return { id, minutes, ...dates };
  };
  const tasks = order
    .flatMap((id) => tree.find(id) ?? [])
    .filter((node) => leaves.has(node))
    .map((node) => build(node.id, node.id, getEstimate(node)));
  const hubs = graph.hubs.map((id): ScheduleTask => {
    const hub = parseTaskId(id);
    if (hub.end === 'start') return { id, minutes: 0 };
    const { fixedStart, ...task } = build(id, hub.node, 0);
    // The fixed day of a recurring task is that of its first occurrence.
    return tree.listChildren(hub.node).length === 0 || fixedStart === undefined ? task : { ...task, fixedStart };
  });
  return [...tasks, ...hubs];
}

function listSeries(tree: OutlineTree, { fixed }: NodeDays, zone: string): readonly UnplacedSeries[] {
  // Tasks with given weekdays come first, since the others find room beside them.
  const tasks = tree.listTasks().toSorted((one, other) => rankRule(tree, one) - rankRule(tree, other));
  return tasks.flatMap((node): UnplacedSeries[] => {
    const rule = tree.findRecurrence(node);
    if (rule === undefined) return [];
    const day = fixed.get(node.id);
    return [
      {
        id: node.id,
        minutes: getEstimate(node),
        rule: normalizeRule(rule, zone),
        exceptDays: node.exceptDays ?? [],
        ...(day !== undefined && { fixedDay: parseDay(day) }),
      },
    ];
  });
}

function rankRule(tree: OutlineTree, node: OutlineNode): number {
  return tree.findRecurrence(node)?.includes('BY') ? 0 : 1;
}

function getEstimate({ id, estimateMinutes }: OutlineNode): number {
  if (estimateMinutes === undefined) throw new RangeError(`The task "${id}" has no estimate.`);
  return estimateMinutes;
}
