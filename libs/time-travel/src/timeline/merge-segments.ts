import type { ActivitySegment } from './phase-activity.js';

/** The part of time that is drawn, in milliseconds since 1970, and the length of one column. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
  readonly columnMs: number;
}

/** One or more segments of a kind that are drawn as one. */
export interface MergedSpan extends Omit<ActivitySegment, 'calls'> {
  /** Number of model calls, tool calls or waits. */
  readonly count: number;
}

/** Creates a window of `width` columns. */
export function createWindow(from: number, to: number, width: number): TimeWindow {
  return { from, to, columnMs: Math.max(1, (to - from) / width) };
}

export function findColumn({ from, columnMs }: TimeWindow, time: number): number {
  return Math.max(0, Math.floor((time - from) / columnMs));
}

/**
 * Returns the segments of one phase that the window shows, ordered by start. Segments shorter than a column are merged with others of their
 * kind that begin in the same column, so there is at most one of each kind per column, besides those that fill a column.
 */
export function mergeSegments(segments: readonly ActivitySegment[], window: TimeWindow): readonly MergedSpan[] {
  const spans: MergedSpan[] = [];
  /** Index in `spans` of the merged span per kind, and its column. */
  const merged = new Map<string, { readonly index: number; readonly column: number }>();
  for (const segment of segments) {
    const end = segment.end ?? window.to;
    if (end < window.from || segment.start > window.to) continue;
    const { calls, ...rest } = segment;
    const span: MergedSpan = { ...rest, count: segment.kind === 'tool' ? Math.max(1, calls) : 1 };
    if (segment.end === undefined || end - segment.start >= window.columnMs) {
      spans.push(span);
      continue;
    }
    const column = findColumn(window, segment.start);
    const before = merged.get(segment.kind);
    if (before?.column === column) spans[before.index] = joinSpans(spans[before.index]!, span);
    else {
      merged.set(segment.kind, { index: spans.length, column });
      spans.push(span);
    }
  }
  return spans;
}

function joinSpans(left: MergedSpan, right: MergedSpan): MergedSpan {
  const { waitsFor, ...rest } = left;
  return {
    ...rest,
    // Different waits have no common reason.
    ...(waitsFor !== undefined && waitsFor === right.waitsFor ? { waitsFor } : {}),
    ...(right.end === undefined ? {} : { end: right.end }),
    toPosition: right.toPosition,
    count: left.count + right.count,
  };
}
