import type { PlanContext } from '../artifacts/plan-context.js';
import type { OutlineNode, PlanOutline } from '../artifacts/plan-outline.js';
import type { Schedule, ScheduledTask } from '../artifacts/schedule.js';
import { expandRecurrence } from '../calendar/expand-recurrence.js';
import { formatDay, type Instant, type Interval, parseInstant } from '../calendar/instant.js';
import { formatWallTime } from '../calendar/wall-clock.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import { findRecurrenceProblem } from '../grammar/recurrence-rule.js';
import { buildCalendarSpec } from '../stage/read-context.js';

/** The artifacts of a scheduled plan that every export reads. */
export interface ExportedPlan {
  readonly context: PlanContext;
  readonly outline: PlanOutline;
  readonly schedule: Schedule;
}

/** An entry of a schedule with what exports say about it. */
export interface PlannedTask {
  readonly entry: ScheduledTask;
  readonly node: OutlineNode;
  readonly phase: OutlineNode | undefined;
  /** The times of the entry; of a recurring task, all occurrences that take place. */
  readonly occurrences: readonly Interval[];
  /** Starts of the rule on closed days and on days that are left out. */
  readonly excluded: readonly Instant[];
}

/**
 * Lists the entries of a schedule in its order. Entries of tasks that the outline does not have are left out. Throws a RecurrenceError or RangeError for
 * a rule, zone or calendar that a valid plan does not have.
 */
export function listPlannedTasks({ context, outline, schedule }: ExportedPlan): readonly PlannedTask[] {
  const tree = new OutlineTree(outline);
  const calendar = new WorkingCalendar(buildCalendarSpec(context));
  return schedule.tasks.flatMap((entry): PlannedTask[] => {
    const node = tree.find(entry.task);
    return node ? [{ entry, node, phase: tree.findPhase(node), ...listOccurrences(entry, node, calendar) }] : [];
  });
}

function listOccurrences(
  { start: startText, end, zone, recurrence }: ScheduledTask,
  { exceptDays = [] }: OutlineNode,
  calendar: WorkingCalendar,
): Pick<PlannedTask, 'occurrences' | 'excluded'> {
  const first = parseInstant(startText);
  const minutes = parseInstant(end) - first;
  if (recurrence === undefined) return { occurrences: [{ start: first, end: first + minutes }], excluded: [] };
  const problem = findRecurrenceProblem(recurrence);
  if (problem !== undefined) throw new RangeError(`The rule of ${startText} cannot be read: ${problem}.`);
  const starts = expandRecurrence({ rule: recurrence, firstStart: formatWallTime(zone, first) }, zone);
  const takesPlace = (start: Instant) => {
    const day = calendar.getDay(start);
    return calendar.openIntervals(day).length > 0 && !exceptDays.includes(formatDay(day));
  };
  return {
    occurrences: starts.filter(takesPlace).map((start) => ({ start, end: start + minutes })),
    excluded: starts.filter((start) => !takesPlace(start)),
  };
}
