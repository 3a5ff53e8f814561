import type { EventIndex, EventRow } from '@phaseline/client';

/** Number of events per page of the list. */
export const PAGE_EVENTS = 200;

/** Where the slider is: at the last event, which moves while the job runs, at a position of the log, or at the n-th event of the job. */
export type Cursor =
  | { readonly kind: 'end' }
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'ordinal'; readonly ordinal: number };

/** A cursor as far as the loaded pages determine it. Ordinals begin with 0. */
export interface ResolvedCursor {
  readonly ordinal: number;
  /** Position in the log; undefined until the page of the ordinal is loaded. */
  readonly position: number | undefined;
}

/** Returns the page of events that is needed to resolve a cursor. */
export function findPage(cursor: Cursor, index: EventIndex): number {
  const lastPage = Math.max(0, index.anchors.length - 1);
  if (cursor.kind === 'end') return lastPage;
  if (cursor.kind === 'ordinal') return Math.min(lastPage, Math.max(0, Math.floor(cursor.ordinal / PAGE_EVENTS)));
  // The last page that begins before the position.
  return Math.max(0, countWhile(index.anchors, (anchor) => anchor.position < cursor.position) - 1);
}

/** Resolves a cursor with the rows of its page, if they are loaded. */
export function resolveCursor(
  cursor: Cursor,
  index: EventIndex,
  rows: readonly EventRow[] | undefined,
): ResolvedCursor {
  const page = findPage(cursor, index);
  const first = page * PAGE_EVENTS;
  if (cursor.kind === 'end') return { ordinal: Math.max(0, index.count - 1), position: index.lastPosition };
  if (cursor.kind === 'ordinal') {
    const ordinal = Math.min(Math.max(0, index.count - 1), Math.max(0, cursor.ordinal));
    return { ordinal, position: rows?.[ordinal - first]?.position };
  }
  const within = rows === undefined ? 0 : Math.max(0, countWhile(rows, (row) => row.position <= cursor.position) - 1);
  return { ordinal: first + within, position: cursor.position };
}

/** Returns the ordinal of the last event at or before a time, estimated between the beginnings of pages. */
export function estimateOrdinal(timeMs: number, index: EventIndex): number {
  const page = Math.max(0, countWhile(index.anchors, (anchor) => Date.parse(anchor.at) <= timeMs) - 1);
  const from = Date.parse(index.anchors[page]?.at ?? index.firstAt ?? '');
  const to = Date.parse(index.anchors[page + 1]?.at ?? index.lastAt ?? '');
  const events = Math.min(PAGE_EVENTS, index.count - page * PAGE_EVENTS);
  const fraction = to > from ? Math.min(1, Math.max(0, (timeMs - from) / (to - from))) : 0;
  return page * PAGE_EVENTS + Math.min(events - 1, Math.floor(fraction * events));
}

/** Joins what an index contains with its continuation, which was requested after the position of its last anchor. */
export function extendIndex(index: EventIndex, later: EventIndex): EventIndex {
  const kept = index.anchors.slice(0, -1);
  return {
    ...index,
    ...later,
    ...(index.firstAt === undefined ? {} : { firstAt: index.firstAt }),
    count: kept.length * PAGE_EVENTS + later.count,
    anchors: [...kept, ...later.anchors],
  };
}

/** Number of first items that fulfil a condition, which holds for a beginning of the list; in logarithmic time. */
function countWhile<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
