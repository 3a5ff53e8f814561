import { assertNever, toCanonicalJson } from '@phaseline/basics';
import type { OutlineNode, PlanOutline } from '../artifacts/plan-outline.js';
import { expandRecurrence } from '../calendar/expand-recurrence.js';
import { formatDay, parseDay } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { decideProblem } from '../schedule/decide-problem.js';
import { flattenProblem } from '../schedule/flat-problem.js';
import { MAX_PLACEMENTS } from '../schedule/generate-schedule.js';
import type { Relaxation } from '../schedule/schedule.js';
import type { Capacity } from '../schedule/schedule-problem.js';
import { buildScheduleProblem } from './build-schedule-problem.js';
import { dropNode } from './drop-node.js';
import { findLastTargetDay } from './node-dates.js';
import type { PlanArtifacts, PlanInput } from './plan-input.js';
import { MAX_DAYS_WITHOUT_END } from './read-context.js';
import { parseTaskId } from './task-id.js';

/** A plan with a relaxation, and the earliest artifact that differs. The hashes that artifacts name are those of before. */
export interface RelaxedPlan extends PlanArtifacts {
  readonly changed: 'context' | 'outline' | 'roadmap';
}

/** Limits of a day and a week in PlanContext.capacity. */
const MAX_CAPACITY = { minutesPerDay: 24 * 60, minutesPerWeek: 7 * 24 * 60 };

/**
 * Changes the artifacts so that they say what a relaxation of their schedule problem says. A deadline that is later by days of 24 hours becomes the end
 * of a day. Capacity is limited to the hours of a day and a week.
 *
 * Artifacts do not say when recurring tasks begin, so that with more time or capacity they can begin on other days than those for which the relaxation
 * was found, and have no schedule. Then their first days become fixed days of the context. If the plan has no schedule even so, the change is as
 * it was chosen.
 */
export function applyRelaxationToPlan(relaxation: Relaxation, plan: PlanInput): RelaxedPlan {
  const chosen = listChanges(relaxation, plan);
  const candidates = [...chosen, ...chosen.map((changed) => fixFirstDays(changed, plan))];
  const feasible = candidates.find((candidate) => hasSchedule({ ...plan, ...candidate }));
  const { context, outline, roadmap } = feasible ?? candidates[0]!;
  const changed = differs(context, plan.context) ? 'context' : differs(outline, plan.outline) ? 'outline' : 'roadmap';
  return { changed, context, outline, roadmap };
}

function differs(one: object, other: object): boolean {
  return toCanonicalJson(one) !== toCanonicalJson(other);
}

function hasSchedule(plan: PlanInput): boolean {
  return decideProblem(flattenProblem(buildScheduleProblem(plan)), { left: MAX_PLACEMENTS }).kind === 'feasible';
}

/** Changed plans, the one that says the same as the relaxation first. */
function listChanges(relaxation: Relaxation, plan: PlanInput): readonly PlanArtifacts[] {
  const { context, outline, roadmap } = plan;
  const change = (changed: Partial<PlanArtifacts>): readonly PlanArtifacts[] => [
    { context, outline, roadmap, ...changed },
  ];
  switch (relaxation.kind) {
    case 'later_deadline':
      return [relaxation.days, relaxation.days + 1].flatMap((days) => {
        const changed = postpone(plan, relaxation.tasks, days);
        // A plan without an end has more time than it needs, unless its work takes two years.
        return context.dates.end === undefined ? [changed, setEnd(changed, days)] : [changed];
      });
    case 'more_capacity':
      return change({ context: { ...context, capacity: limitCapacity(relaxation.capacity) } });
    case 'no_buffer':
      return change({ context: { ...context, strategy: { ...context.strategy, bufferShare: 0 } } });
    case 'drop_task':
      return [dropNode(plan, parseTaskId(relaxation.task).node)];
    case 'fewer_occurrences':
      return change({ outline: leaveOutDays(plan, relaxation) });
    case 'free_date': {
      const { node } = parseTaskId(relaxation.task);
      const fixed = context.dates.fixed.filter((one) => one.node !== node);
      return change({ context: { ...context, dates: { ...context.dates, fixed } } });
    }
    default:
      return assertNever(relaxation);
  }
}

function limitCapacity({ minutesPerDay, minutesPerWeek }: Capacity): Capacity {
  return {
    minutesPerDay: Math.min(minutesPerDay, MAX_CAPACITY.minutesPerDay),
    minutesPerWeek: Math.min(minutesPerWeek, MAX_CAPACITY.minutesPerWeek),
  };
}

/** Gives a plan without an end one that is later than the time it has. */
function setEnd({ context, outline, roadmap }: PlanArtifacts, days: number): PlanArtifacts {
  const end = formatDay(parseDay(context.dates.start) + MAX_DAYS_WITHOUT_END - 1 + days);
  return { context: { ...context, dates: { ...context.dates, end } }, outline, roadmap };
}

/** Fixes the days on which recurring tasks begin in the plan as it was before. */
function fixFirstDays({ context, outline, roadmap }: PlanArtifacts, before: PlanInput): PlanArtifacts {
  const known = new Set(context.dates.fixed.map(({ node }) => node));
  const titles = new Map(outline.nodes.map(({ id, title }) => [id, title]));
  const first = buildScheduleProblem(before).series.flatMap(({ id, recurrence }) => {
    const title = titles.get(id);
    return title === undefined || known.has(id) ? [] : [{ node: id, title, day: recurrence.firstStart.slice(0, 10) }];
  });
  const dates = { ...context.dates, fixed: [...context.dates.fixed, ...first] };
  return { context: { ...context, dates }, outline, roadmap };
}

function postpone({ context, outline, roadmap }: PlanInput, tasks: readonly string[], days: number): PlanArtifacts {
  const nodes = new Set(tasks.map((id) => parseTaskId(id).node));
  const move = (day: string) => formatDay(parseDay(day) + days);
  const postponeTarget = (node: OutlineNode): OutlineNode => {
    const by = findLastTargetDay(node);
    if (!nodes.has(node.id) || !node.measure || by === undefined) return node;
    const targets = node.measure.targets.map((target, index, { length }) =>
      index === length - 1 ? { ...target, by: move(by) } : target,
    );
    return { ...node, measure: { ...node.measure, targets } };
  };
  const { end } = context.dates;
  const phases = roadmap.phases.map((phase) => ({
    ...phase,
    milestones: phase.milestones.map(({ node, due }) => {
      return due === undefined ? { node } : { node, due: nodes.has(node) ? move(due) : due };
    }),
  }));
  return {
    context: end === undefined ? context : { ...context, dates: { ...context.dates, end: move(end) } },
    outline: { ...outline, nodes: outline.nodes.map(postponeTarget) },
    roadmap: { ...roadmap, phases },
  };
}

/** Leaves out the days of occurrences. Their numbers count from the first occurrence of the problem that the plan has now. */
function leaveOutDays(
  plan: PlanInput,
  { series, dropped }: Extract<Relaxation, { kind: 'fewer_occurrences' }>,
): PlanOutline {
  const problem = buildScheduleProblem(plan);
  const calendar = new WorkingCalendar(problem.calendar);
  const found = problem.series.find(({ id }) => id === series);
  const starts = found ? expandRecurrence(found.recurrence, calendar.zone) : [];
  const days = starts
    .filter((_, index) => dropped.includes(index + 1))
    .map((start) => formatDay(calendar.getDay(start)));
  const nodes = plan.outline.nodes.map((node) =>
    node.id === series ? { ...node, exceptDays: [...(node.exceptDays ?? []), ...days].sort() } : node,
  );
  return { ...plan.outline, nodes };
}
