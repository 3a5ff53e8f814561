import type { OutlineNode } from '../artifacts/plan-outline.js';
import { weekdays } from '../artifacts/strategy-profile.js';
import { expandRecurrence } from '../calendar/expand-recurrence.js';
import { formatDay, getWeekday, parseDay } from '../calendar/instant.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import type { Link } from '../network/network.js';
import { generateSchedule } from '../schedule/generate-schedule.js';
import type { ScheduleAnswer } from '../schedule/schedule.js';
import type { ScheduleProblem, TaskSeries } from '../schedule/schedule-problem.js';
import type { SimulatedPlan } from './simulated-plan.fixture.js';

/** Horizon in days of a plan without an end. */
const HORIZON_DAYS = 3 * 366;

/** Schedules a rehearsed plan: sessions at the first open time of their days, one after another, everything else where it fits. */
export function scheduleRehearsedPlan(plan: SimulatedPlan): ScheduleAnswer {
  return generateSchedule(buildProblem(plan));
}

function buildProblem({ context, outline, roadmap }: SimulatedPlan): ScheduleProblem {
  const tree = new OutlineTree(outline);
  const leaves = tree.listTasks();
  const recurring = leaves.filter((node) => tree.findRecurrence(node) !== undefined);
  const start = parseDay(context.dates.start);
  const end = context.dates.end === undefined ? start + HORIZON_DAYS : parseDay(context.dates.end) + 1;
  const hours = weekdays.map((day) =>
    context.calendar.hours.filter(({ weekday }) => weekday === day).map(({ from, to }) => ({ from, to })),
  );
  const leavesOf = (id: string): readonly OutlineNode[] =>
    leaves.filter((leaf) => leaf.id === id || tree.listAncestors(leaf).some((node) => node.id === id));
  const links = roadmap.dependencies.flatMap(({ from, to, kind, lag }): Link[] => {
    const minutes = lag.amount * { minutes: 1, hours: 60, days: 1_440 }[lag.unit];
    return leavesOf(from).flatMap((one) =>
      leavesOf(to).map((other): Link => ({ from: one.id, to: other.id, kind, lag: minutes, unit: lag.time })),
    );
  });
  const ordered = roadmap.phases.flatMap(({ node, mayOverlap }, index): Link[] => {
    const before = roadmap.phases[index - 1];
    if (mayOverlap || before === undefined) return [];
    return leavesOf(before.node).flatMap((one) =>
      leavesOf(node).map((other): Link => ({ from: one.id, to: other.id, kind: 'FS', lag: 0, unit: 'working' })),
    );
  });
  const unique = new Map([...links, ...ordered].map((link) => [`${link.from} ${link.to} ${link.kind}`, link]));
  return {
    calendar: { zone: context.zone, hours, closedDays: [], openDays: [] },
    window: { start: start * 1_440, end: end * 1_440 },
    tasks: leaves
      .filter((node) => !recurring.includes(node))
      .map(({ id, estimateMinutes }) => ({ id, minutes: estimateMinutes! })),
    series: buildSeries(tree, recurring, start, hours),
    links: [...unique.values()],
    ...{
      capacity: context.capacity,
      taken: [],
      profile: { distribution: 'even', bufferShare: 0, preferredWeekdays: [] },
    },
  };
}

function buildSeries(
  tree: OutlineTree,
  nodes: readonly OutlineNode[],
  start: number,
  hours: ScheduleProblem['calendar']['hours'],
): readonly TaskSeries[] {
  let offset = 0;
  return nodes.map((node) => {
    const rule = tree.findRecurrence(node)!;
    const day = findFirstDay(rule, start, hours);
    const [hour = 0, minute = 0] = (hours[getWeekday(day) - 1]![0]?.from ?? '09:00').split(':').map(Number);
    const at = 60 * hour + minute + offset;
    offset += node.estimateMinutes!;
    const clock = `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
    return {
      id: node.id,
      minutes: node.estimateMinutes!,
      recurrence: { rule, firstStart: `${formatDay(day)}T${clock}` },
    };
  });
}

/** First day on or after the start of the plan that fulfils the rule and is open. */
function findFirstDay(rule: string, start: number, hours: ScheduleProblem['calendar']['hours']): number {
  const codes = [...(/BYDAY=([^;]+)/.exec(rule)?.[1] ?? '').matchAll(/(-?\d*)([A-Z]{2})/g)];
  for (let day = start; day < start + 366; day++) {
    const weekday = weekdays[getWeekday(day) - 1]!.slice(0, 2).toUpperCase();
    const position = Math.ceil(Number(formatDay(day).slice(8)) / 7);
    const isDay =
      codes.length === 0 ||
      codes.some(([, number, code]) => code === weekday && (number === '' || Number(number) === position));
    if (isDay && hours[getWeekday(day) - 1]!.length > 0) {
      // Throws if the rule cannot be expanded.
      expandRecurrence({ rule, firstStart: `${formatDay(day)}T00:00` }, 'UTC');
      return day;
    }
  }
  throw new Error(`no day for ${rule}`);
}
