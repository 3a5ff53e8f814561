import type { Timeline, TimelinePhase, TimelineSpan } from '@phaseline/client';

/** What fills a column of a lane: nothing, a phase that does nothing visible, or a kind of span. */
export type Cell = 'none' | 'open' | TimelineSpan['kind'];

/** Later kinds are drawn over earlier ones, because a person looks for what costs time and money. */
const ORDER: readonly TimelineSpan['kind'][] = ['wait', 'tool', 'model'];

/** Draws a phase into columns of the window of the timeline. What has no end lasts until the end of the window. */
export function drawLane(
  phase: TimelinePhase,
  window: Pick<Timeline, 'from' | 'to'>,
  columns: number,
): readonly Cell[] {
  const cells = Array.from({ length: columns }, (): Cell => 'none');
  fill(cells, 'open', phase, window);
  for (const kind of ORDER) for (const span of phase.spans) if (span.kind === kind) fill(cells, kind, span, window);
  return cells;
}

/** Returns the column of a time, which is inside of the window. */
export function findColumn(at: string, { from, to }: Pick<Timeline, 'from' | 'to'>, columns: number): number {
  const length = Math.max(1, Date.parse(to) - Date.parse(from));
  const column = Math.floor(((Date.parse(at) - Date.parse(from)) / length) * columns);
  return Math.min(columns - 1, Math.max(0, column));
}

function fill(
  cells: Cell[],
  cell: Cell,
  { start, end }: { readonly start: string; readonly end?: string | undefined },
  window: Pick<Timeline, 'from' | 'to'>,
): void {
  const first = findColumn(start, window, cells.length);
  // An end at the beginning of a column does not fill it.
  const last = Math.max(first, findEnd(end ?? window.to, window, cells.length));
  cells.fill(cell, first, last + 1);
}

function findEnd(at: string, { from, to }: Pick<Timeline, 'from' | 'to'>, columns: number): number {
  const length = Math.max(1, Date.parse(to) - Date.parse(from));
  const column = Math.ceil(((Date.parse(at) - Date.parse(from)) / length) * columns) - 1;
  return Math.min(columns - 1, Math.max(0, column));
}
