import { toSingleLine } from '@phaseline/basics';
import type { Roadmap } from '../artifacts/roadmap.js';
import { formatDay, type Interval, parseDay } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import { buildCalendarSpec } from '../stage/read-context.js';
import { drawDependencies, type PlacedRow } from './gantt/draw-dependencies.js';
import { drawBackground, drawLegend } from './gantt/draw-frame.js';
import { drawRow, ROW_HEIGHT } from './gantt/draw-rows.js';
import { GANTT_DEFINITIONS, GANTT_STYLE } from './gantt/gantt-style.js';
import { listRows, type Row } from './gantt/list-rows.js';
import { clipToWidth, escapeXml } from './gantt/svg-text.js';
import { CHART_LEFT, CHART_WIDTH, TimeScale } from './gantt/time-scale.js';
import { type ExportedPlan, listPlannedTasks, type PlannedTask } from './list-planned-tasks.js';

const WIDTH = CHART_LEFT + CHART_WIDTH + 24;
/** Height of the heading and the axis above the rows, and of the legend below them. */
const HEAD_HEIGHT = 82;
const FOOT_HEIGHT = 40;

/** A plan as a picture. */
export interface GanttPlan extends ExportedPlan {
  readonly roadmap: Roadmap;
}

/**
 * Draws a schedule as a Gantt picture: an SVG without scripts and without references to other files, for light and dark pages. Rows are the phases of the
 * roadmap with their tasks and milestones; the dates of the axis are those of the plan's zone. A picture of 500 tasks has less than a megabyte.
 * Throws what listPlannedTasks throws.
 */
export function renderGantt(plan: GanttPlan): string {
  const { context, outline, roadmap } = plan;
  const tree = new OutlineTree(outline);
  const calendar = new WorkingCalendar(buildCalendarSpec(context));
  const tasks = listPlannedTasks(plan);
  const rows = listRows(tree, roadmap, tasks, calendar);
  const scale = new TimeScale(calendar, measureSpan(rows, calendar, context.dates.start));
  const placed = rows.map((row, index): PlacedRow => ({ row, y: HEAD_HEIGHT + (index + 0.5) * ROW_HEIGHT }));
  const area = { top: HEAD_HEIGHT, bottom: HEAD_HEIGHT + rows.length * ROW_HEIGHT };
  const height = area.bottom + FOOT_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="gantt" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="gantt-title gantt-description">`,
    ...writeTexts(plan, tasks, scale),
    `<style>${GANTT_STYLE}</style><defs>${GANTT_DEFINITIONS}<clipPath id="gantt-labels"><rect width="${CHART_LEFT - 6}" height="${height}"/></clipPath></defs>`,
    `<rect class="paper" width="${WIDTH}" height="${height}"/>`,
    `<text class="heading" x="8" y="26">${escapeXml(clipToWidth(toSingleLine(context.goal), (WIDTH - 16) * 0.72))}</text>`,
    `<text class="note" x="8" y="${HEAD_HEIGHT - 6}">Times in ${escapeXml(context.zone)}</text>`,
    drawBackground(scale, area, ROW_HEIGHT),
    drawDependencies(roadmap.dependencies, tree, placed, scale),
    ...placed.map(({ row, y }) => drawRow(row, y, scale)),
    drawLegend(scale, area.bottom + FOOT_HEIGHT / 2),
    '</svg>',
  ].join('\n');
}

/** Title and description for programs that read pictures aloud. */
function writeTexts({ context }: GanttPlan, tasks: readonly PlannedTask[], scale: TimeScale): readonly string[] {
  const critical = tasks.filter(({ entry }) => entry.critical).map(({ node }) => node.title);
  const path =
    critical.length === 0 ? '' : ` Critical: ${critical.slice(0, 10).join('; ')}${critical.length > 10 ? '; …' : ''}.`;
  const days = `${formatDay(scale.first)} to ${formatDay(scale.last)}`;
  const description = `${tasks.length} tasks from ${days} in ${context.zone}.${path}`;
  return [
    `<title id="gantt-title">Schedule: ${escapeXml(clipToWidth(toSingleLine(context.goal), 900))}</title>`,
    `<desc id="gantt-description">${escapeXml(description)}</desc>`,
  ];
}

/** All work and due dates; the first day of a plan without any. */
function measureSpan(rows: readonly Row[], calendar: WorkingCalendar, start: string): Interval {
  const times = rows.flatMap((row) => [
    row.span.start,
    row.span.end,
    ...(row.kind === 'milestone' && row.due !== undefined ? [row.due] : []),
  ]);
  if (times.length === 0) return calendar.getWholeDay(parseDay(start));
  return times.reduce<Interval>(
    (span, time) => ({ start: Math.min(span.start, time), end: Math.max(span.end, time) }),
    { start: Infinity, end: -Infinity },
  );
}
