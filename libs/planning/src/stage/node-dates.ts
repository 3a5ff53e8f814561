import type { Instant, Interval } from '../calendar/instant.js';
import { parseDay } from '../calendar/instant.js';
import type { WorkingCalendar } from '../calendar/working-calendar.js';
import type { OutlineNode } from '../artifacts/plan-outline.js';
import type { PlanArtifacts } from './plan-input.js';
import { getEndOfDay } from './read-context.js';

/** Days to which a plan holds its nodes, by the id of the node. */
export interface NodeDays {
  /** From the context. */
  readonly fixed: ReadonlyMap<string, string>;
  /** Due dates of milestones, and days by which the last target of a measure is to be reached. */
  readonly due: ReadonlyMap<string, string>;
}

/** Collects the days of a plan. If a node has several, the earliest counts. */
export function collectNodeDays({ context, outline, roadmap }: PlanArtifacts): NodeDays {
  const due = [
    ...roadmap.phases.flatMap(({ milestones }) => milestones).map(({ node, due: day }) => [node, day] as const),
    ...outline.nodes.map((node) => [node.id, findLastTargetDay(node)] as const),
  ];
  const fixed = context.dates.fixed.map(({ node, day }) => [node, day] as const);
  return { fixed: keepEarliest(fixed), due: keepEarliest(due) };
}

/** The day by which the last target is to be reached. The targets before it cannot be told from the tasks that they need. */
export function findLastTargetDay({ measure }: OutlineNode): string | undefined {
  return measure?.targets.at(-1)?.by;
}

function keepEarliest(entries: readonly (readonly [string | undefined, string | undefined])[]) {
  const days = new Map<string, string>();
  for (const [node, day] of entries) {
    if (node === undefined || day === undefined) continue;
    const known = days.get(node);
    days.set(node, known === undefined || day < known ? day : known);
  }
  return days;
}

/** The dates of a task or milestone. */
export function buildDates(
  { fixed, due }: NodeDays,
  node: string,
  {
    minutes,
    calendar,
    busy,
  }: { readonly minutes: number; readonly calendar: WorkingCalendar; readonly busy: readonly Interval[] },
): { readonly fixedStart?: Instant; readonly latestEnd?: Instant } {
  const [fixedDay, dueDay] = [fixed.get(node), due.get(node)];
  return {
    ...(fixedDay !== undefined && { fixedStart: findFixedStart(calendar, fixedDay, minutes, busy) }),
    ...(dueDay !== undefined && { latestEnd: getEndOfDay(calendar, dueDay) }),
  };
}

/** The first time of a day in which an appointment fits; otherwise its first open time; on a closed day its beginning, which is then reported. */
function findFixedStart(calendar: WorkingCalendar, text: string, minutes: number, busy: readonly Interval[]): Instant {
  const day = parseDay(text);
  const open = calendar.openIntervals(day);
  for (const span of open) {
    const starts = [span.start, ...busy.map(({ end }) => end)].filter((at) => span.start <= at).sort((a, b) => a - b);
    const free = starts.find(
      (at) => at + minutes <= span.end && !busy.some(({ start, end }) => start < at + minutes && at < end),
    );
    if (free !== undefined) return free;
  }
  return open[0]?.start ?? calendar.getWholeDay(day).start;
}
