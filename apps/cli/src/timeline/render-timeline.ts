import type { Timeline, TimelineMark, TimelinePhase } from '@phaseline/client';
import { fit, padEnd } from '../output/display-width.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatClock } from '../output/quantities.js';
import { drawLane, findColumn, type Cell } from './draw-lane.js';

/** Columns for the number and the name of a phase, and for what became of it. */
const LABEL_COLUMNS = 28;
const END_COLUMNS = 26;
const MIN_BAR_COLUMNS = 20;

const glyphs: Readonly<Record<Cell, string>> = { none: ' ', open: '─', model: '█', tool: '▒', wait: '·' };
const marks: Readonly<Record<TimelineMark['kind'], { readonly text: string; readonly name: string }>> = {
  retry: { text: '↻', name: 'retry' },
  rejection: { text: '✗', name: 'rejection' },
  takeover: { text: '⇄', name: 'takeover' },
  steering: { text: '✎', name: 'message of a person' },
  compaction: { text: '⊟', name: 'compaction' },
};

/** Returns the columns that are left for the bars in a line of this width. */
export function barColumns(lineColumns: number): number {
  return Math.max(MIN_BAR_COLUMNS, lineColumns - LABEL_COLUMNS - END_COLUMNS - 2);
}

/** One lane per phase, below the times at which they begin and end, and above the marks and what the signs mean. */
export function renderTimeline(timeline: Timeline, columns: number, paint: Paint): readonly string[] {
  const length = formatClock(Date.parse(timeline.to) - Date.parse(timeline.from));
  return [
    `${formatTime(timeline.from)} to ${formatTime(timeline.to)}, ${length}; one column is ${formatColumn(timeline, columns)}`,
    '',
    ...timeline.phases.map((phase) => renderPhase(phase, timeline, columns, paint)),
    ...renderMarks(timeline, columns, paint),
    '',
    renderLegend(timeline, paint),
  ];
}

function renderPhase(phase: TimelinePhase, timeline: Timeline, columns: number, paint: Paint): string {
  const { phase: number, attempt, name, kind, start, end } = phase;
  const label = `${String(number).padStart(3)} ${toPrintable(name)}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
  const bar = paintLane(drawLane(phase, timeline, columns), paint);
  const took = formatClock(Date.parse(end ?? timeline.to) - Date.parse(start));
  const shown = padEnd(fit(label, LABEL_COLUMNS), LABEL_COLUMNS);
  return `${kind === 'strategic' ? paint.bold(shown) : shown} ${bar} ${took} ${describeEnd(phase)}`.trimEnd();
}

/** The outcome, or what an open phase waits for. */
function describeEnd({ outcome, end, spans }: TimelinePhase): string {
  if (end !== undefined) return toPrintable(outcome ?? 'ended');
  const last = spans.at(-1);
  if (last?.kind !== 'wait' || last.end !== undefined) return 'running';
  return last.waitsFor === undefined ? 'waits' : `waits: ${last.waitsFor}`;
}

/** Joins equal cells, so that each run is coloured once. */
function paintLane(cells: readonly Cell[], paint: Paint): string {
  const colours: Readonly<Record<Cell, (text: string) => string>> = {
    none: String,
    open: paint.dim,
    model: paint.cyan,
    tool: paint.yellow,
    wait: paint.dim,
  };
  const runs: { readonly cell: Cell; count: number }[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last?.cell === cell) last.count += 1;
    else runs.push({ cell, count: 1 });
  }
  return runs.map(({ cell, count }) => colours[cell](glyphs[cell].repeat(count))).join('');
}

/** A line with a sign where something unusual happened. Of two in one column, the later one is shown. */
function renderMarks(timeline: Timeline, columns: number, paint: Paint): readonly string[] {
  if (timeline.marks.length === 0) return [];
  const cells = Array.from({ length: columns }, () => ' ');
  for (const { kind, at } of timeline.marks) cells[findColumn(at, timeline, columns)] = marks[kind].text;
  const label = padEnd('', LABEL_COLUMNS);
  return [`${label} ${paint.yellow(cells.join('').trimEnd())}`];
}

/** What the signs mean, and how often each mark occurs. */
function renderLegend({ marks: all }: Timeline, paint: Paint): string {
  const counted = (Object.keys(marks) as TimelineMark['kind'][]).flatMap((kind) => {
    const count = all.filter((mark) => mark.kind === kind).reduce((sum, mark) => sum + mark.count, 0);
    return count === 0 ? [] : [`${marks[kind].text} ${marks[kind].name}${count === 1 ? '' : ` (${count})`}`];
  });
  const lanes = [`${glyphs.model} model`, `${glyphs.tool} tool`, `${glyphs.wait} waits`, `${glyphs.open} other`];
  return paint.dim([...lanes, ...counted].join('   '));
}

function formatTime(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

function formatColumn({ from, to }: Timeline, columns: number): string {
  const ms = (Date.parse(to) - Date.parse(from)) / columns;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : formatClock(ms);
}
