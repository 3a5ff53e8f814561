import { countDays } from '../reading/days.js';
import type { PlanNode, PlanOutline, PlanRoadmap } from '../session.js';
import type { RoadmapOption } from './build-options.js';

type Dependency = PlanRoadmap['dependencies'][number];
type Lag = Dependency['lag'];

const NO_LAG: Lag = { amount: 0, unit: 'minutes', time: 'working' };
const ONE_DAY: Lag = { amount: 1, unit: 'days', time: 'elapsed' };
const REST_WEEK: Lag = { amount: 7, unit: 'days', time: 'elapsed' };

interface DependencyWishes {
  readonly option: Pick<RoadmapOption, 'id'>;
  readonly hasRestWeeks: boolean;
  /** First day of the plan, if it is known. */
  readonly start?: string;
}

/**
 * Builds the phases of a roadmap: what is done once first, in the order of the outline, and cycles that run beside it. With `mayOverlap`, each phase may begin
 * before the one before it has ended.
 */
export function buildPhases({ nodes }: Pick<PlanOutline, 'nodes'>, mayOverlap = false): PlanRoadmap['phases'] {
  const roots = nodes.filter(({ level }) => level === 'L1');
  const ordered = [
    ...roots.filter(({ time }) => time !== 'recurring'),
    ...roots.filter(({ time }) => time === 'recurring'),
  ];
  return ordered.map((root) => {
    const inside = listInside(nodes, root.id);
    return {
      node: root.id,
      mayOverlap: mayOverlap || root.time === 'recurring',
      milestones: inside.filter(({ level }) => level === 'L2').map(({ id }) => ({ node: id })),
      tasks: inside.filter(({ level }) => level === 'L3' || level === 'L4').map(({ id }) => id),
    };
  });
}

/** Everything below a node, in the order of the outline. */
function listInside(nodes: readonly PlanNode[], id: string): readonly PlanNode[] {
  const inside = new Set([id]);
  // Children may come before their parents in the list.
  for (let size = 0; size < inside.size;) {
    size = inside.size;
    for (const node of nodes) if (node.parent !== null && inside.has(node.parent)) inside.add(node.id);
  }
  return nodes.filter((node) => node.id !== id && inside.has(node.id));
}

/**
 * Builds the dependencies: within a milestone or phase, tasks that are not repeated follow one another; then parts follow one another as the option
 * says. Sessions depend on nothing, because their days are fixed by their rule.
 */
export function buildDependencies(
  { nodes }: Pick<PlanOutline, 'nodes'>,
  { option, hasRestWeeks, start }: DependencyWishes,
): PlanRoadmap['dependencies'] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // In the order of the phases, so that no part waits for a later phase.
  const tasks = buildPhases({ nodes }).flatMap((phase) => phase.tasks.map((id) => byId.get(id)!));
  const movable = tasks.filter(({ id, time }) => time !== 'recurring' && !nodes.some(({ parent }) => parent === id));
  const parts = [...Map.groupBy(movable, ({ parent }) => parent).values()];
  const within = parts.flatMap((part) => link(part, NO_LAG));
  const lag = hasRestWeeks ? REST_WEEK : option.id === 'buffered' ? ONE_DAY : NO_LAG;
  const between = parts.slice(1).map((part, index): Dependency => {
    return { from: parts[index]!.at(-1)!.id, to: part[0]!.id, kind: 'FS', lag };
  });
  return [
    ...within,
    ...(option.id === 'independent' && !hasRestWeeks ? [] : between),
    ...(start === undefined ? [] : buildTargetLinks(nodes, start)),
  ];
}

/** From this length of a plan on, the check of a target waits for the day of the target; in a shorter one it may find no open time after it. */
const MIN_TARGET_DAYS = 56;
/** A target is checked before its last days, so that there is time left for the check. */
const TARGET_SHARE = 0.85;
/** The first session can be two weeks after the start, and the next day without a session two weeks after the lag. */
const DAYS_TO_SPARE = 28;

/** Lets the check of a target wait since the first session, so that it is not made before anything was done. */
function buildTargetLinks(nodes: readonly PlanNode[], start: string): readonly Dependency[] {
  // The first of monthly sessions can be too late to count from.
  const session = nodes.find(
    ({ level, time, recurrence = '' }) =>
      level === 'L3' && time === 'recurring' && !recurrence.startsWith('FREQ=MONTHLY'),
  );
  const targets = nodes.filter(({ level, time }) => level === 'L2' && time === 'cumulative');
  const lastDay = targets
    .map(({ measure }) => measure?.targets.at(-1)?.by ?? start)
    .toSorted()
    .at(-1);
  if (session === undefined || lastDay === undefined || lastDay < start || countDays(start, lastDay) < MIN_TARGET_DAYS)
    return [];
  return targets.flatMap(({ id, measure }): Dependency[] => {
    const check = nodes.find(({ parent, time }) => parent === id && time === 'once');
    const by = measure?.targets.at(-1)?.by;
    if (check === undefined || by === undefined || by < start) return [];
    const span = countDays(start, by);
    const days = Math.min(Math.floor(TARGET_SHARE * span), span - DAYS_TO_SPARE);
    if (days <= 0) return [];
    return [{ from: session.id, to: check.id, kind: 'SS', lag: { amount: days, unit: 'days', time: 'elapsed' } }];
  });
}

function link(tasks: readonly PlanNode[], lag: Lag): readonly Dependency[] {
  return tasks.slice(1).map((task, index) => ({ from: tasks[index]!.id, to: task.id, kind: 'FS' as const, lag }));
}
