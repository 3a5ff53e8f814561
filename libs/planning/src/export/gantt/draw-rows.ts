import { assertNever } from '@phaseline/basics';
import { type Interval } from '../../calendar/instant.js';
import { formatWallTime } from '../../calendar/wall-clock.js';
import type { Row } from './list-rows.js';
import { clipToWidth, escapeXml, round } from './svg-text.js';
import { CHART_LEFT, type TimeScale } from './time-scale.js';

export const ROW_HEIGHT = 24;
const BAR_HEIGHT = 12;
/** Pixels that a bar has at least, so that an hour in a year can be seen. */
const MIN_BAR_WIDTH = 3;
/** Pixels between two occurrences from which each is drawn. Closer ones become a band, so that the picture stays readable and small. */
const MIN_TICK_DISTANCE = 6;
/** Characters of a title in the text that a bar shows when it is pointed at. */
const MAX_HINT_CHARACTERS = 120;
const indents = { phase: 8, milestone: 34, task: 20 } as const;

/** Draws a row: its title, and what happens when. `y`: the middle of the row. */
export function drawRow(row: Row, y: number, scale: TimeScale): string {
  const x = indents[row.kind];
  const label = escapeXml(clipToWidth(row.node.title, CHART_LEFT - x - 14));
  const hint = `<title>${escapeXml(describeRow(row, scale))}</title>`;
  return `<g class="${row.kind}${row.isCritical ? ' critical' : ''}">${hint}<text class="label" x="${x}" y="${y + 4}">${label}</text>${drawShape(row, y, scale)}</g>`;
}

function describeRow({ node, span, kind, ...row }: Row, { calendar }: TimeScale): string {
  const title = node.title.length > MAX_HINT_CHARACTERS ? `${node.title.slice(0, MAX_HINT_CHARACTERS)}…` : node.title;
  const [start, end] = [span.start, span.end].map((at) => formatWallTime(calendar.zone, at).replace('T', ' '));
  const count =
    'task' in row && row.task.entry.recurrence !== undefined ? `, ${row.task.occurrences.length} times` : '';
  return `${title}: ${kind === 'milestone' ? end : `${start} to ${end}`}${count}${row.isCritical ? ', critical' : ''}`;
}

function drawShape(row: Row, y: number, scale: TimeScale): string {
  switch (row.kind) {
    case 'phase':
      return drawPhase(row.span, y, scale);
    case 'milestone':
      return `${row.due === undefined ? '' : drawDue(scale.getX(row.due), y)}${drawDiamond(scale.getX(row.span.end), y)}`;
    case 'task':
      return row.task.entry.recurrence === undefined
        ? drawBar(row.span, y, scale)
        : drawOccurrences(row.task.occurrences, y, scale);
    default:
      return assertNever(row);
  }
}

function measure({ start, end }: Interval, scale: TimeScale): { readonly x: number; readonly width: number } {
  const x = scale.getX(start);
  return { x: round(x), width: round(Math.max(MIN_BAR_WIDTH, scale.getX(end) - x)) };
}

/** A bracket over everything in the phase. */
function drawPhase(span: Interval, y: number, scale: TimeScale): string {
  const { x, width } = measure(span, scale);
  return `<path class="span" d="M${x} ${y + 5}v-8h${width}v8"/>`;
}

function drawBar(span: Interval, y: number, scale: TimeScale): string {
  const { x, width } = measure(span, scale);
  return `<rect class="bar" x="${x}" y="${y - BAR_HEIGHT / 2}" width="${width}" height="${BAR_HEIGHT}" rx="2"/>`;
}

/** A diamond at an instant, also in the legend. */
export function drawDiamond(x: number, y: number): string {
  return `<path class="diamond" d="M${round(x)} ${y - 7}l7 7l-7 7l-7-7z"/>`;
}

/** The day by which a milestone is due. */
export function drawDue(x: number, y: number): string {
  return `<path class="due" d="M${round(x)} ${y - 10}v20"/>`;
}

/** Occurrences as ticks on a line, or as a band if they are too close. */
function drawOccurrences(occurrences: readonly Interval[], y: number, scale: TimeScale): string {
  const [first, last] = [occurrences[0], occurrences.at(-1)];
  if (!first || !last) return '';
  const xs = occurrences.map(({ start }) => Math.round(scale.getX(start)));
  const gaps = xs.slice(1).map((x, index) => x - xs[index]!);
  const { x, width } = measure({ start: first.start, end: last.end }, scale);
  const line = `<path class="line" d="M${x} ${y}h${width}"/>`;
  if (gaps.some((gap) => gap < MIN_TICK_DISTANCE))
    return `${line}<rect class="band" x="${x}" y="${y - BAR_HEIGHT / 2}" width="${width}" height="${BAR_HEIGHT}"/>`;
  const moves = gaps.map((gap) => `m${gap}-${BAR_HEIGHT}v${BAR_HEIGHT}`).join('');
  return `${line}<path class="tick" d="M${xs[0]} ${y - BAR_HEIGHT / 2}v${BAR_HEIGHT}${moves}"/>`;
}
