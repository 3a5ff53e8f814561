import type { EventIndex, EventRow } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useQueries } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef } from 'react';
import { formatClock, formatCount, formatDuration } from '../ui/format.js';
import { PAGE_EVENTS } from './event-pages.js';
import { eventPageQuery } from './use-job.js';
import './event-list.css';

const ROW_HEIGHT = 28;

/** Every event of the job, of which only the visible pages are loaded. The row at the slider is marked and kept in view. */
export function EventList({
  jobId,
  index,
  ordinal,
  isFollowing,
  onSelect,
}: {
  readonly jobId: JobId;
  readonly index: EventIndex;
  readonly ordinal: number;
  /** Whether the slider moves with the last event. */
  readonly isFollowing: boolean;
  readonly onSelect: (ordinal: number) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: index.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const shown = useRef<number>(undefined);
  // The list has no height when it is drawn first, so it cannot be scrolled then.
  const height = virtualizer.scrollRect?.height ?? 0;
  useEffect(() => {
    if (height === 0) return;
    // A person who has scrolled away while the job runs stays there.
    const isAway = isFollowing && shown.current !== undefined && !isRendered(virtualizer, shown.current);
    if (!isAway) virtualizer.scrollToIndex(ordinal, { align: 'auto' });
    shown.current = ordinal;
  }, [virtualizer, ordinal, isFollowing, height]);
  const rows = useVisibleRows(jobId, index, items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  return (
    <div
      ref={scroller}
      className="event-list"
      role="table"
      aria-label="Events"
      aria-rowcount={index.count}
      tabIndex={0}
    >
      <div role="rowgroup" className="event-list-body" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index: at, start }) => (
          <Row key={at} row={rows(at)} ordinal={at} isCurrent={at === ordinal} top={start} onSelect={onSelect} />
        ))}
      </div>
    </div>
  );
}

function isRendered(virtualizer: ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>, index: number): boolean {
  return virtualizer.getVirtualItems().some((item) => item.index === index);
}

/** Loads the pages of the visible rows, and returns a function that returns a row by its ordinal. */
function useVisibleRows(
  jobId: JobId,
  index: EventIndex,
  first: number,
  last: number,
): (ordinal: number) => EventRow | undefined {
  const firstPage = Math.floor(first / PAGE_EVENTS);
  const lastPage = Math.min(index.anchors.length - 1, Math.floor(last / PAGE_EVENTS));
  const pages = Array.from({ length: Math.max(0, lastPage - firstPage + 1) }, (_, more) => firstPage + more);
  const results = useQueries({
    queries: pages.map((page) =>
      eventPageQuery(jobId, page, index.anchors[page]?.position ?? 0, (page + 1) * PAGE_EVENTS <= index.count),
    ),
  });
  return (ordinal) => results[Math.floor(ordinal / PAGE_EVENTS) - firstPage]?.data?.[ordinal % PAGE_EVENTS];
}

/** Drawn again only if it changes, because every move of the slider draws the list. */
const Row = memo(function Row({
  row,
  ordinal,
  isCurrent,
  top,
  onSelect,
}: {
  readonly row: EventRow | undefined;
  readonly ordinal: number;
  readonly isCurrent: boolean;
  readonly top: number;
  readonly onSelect: (ordinal: number) => void;
}) {
  const select = (): void => onSelect(ordinal);
  return (
    <div
      role="row"
      aria-rowindex={ordinal + 1}
      aria-selected={isCurrent}
      className="event-row"
      style={{ height: ROW_HEIGHT, transform: `translateY(${top}px)` }}
      onClick={select}
    >
      <span role="cell" className="event-ordinal">
        {formatCount(ordinal + 1)}
      </span>
      <span role="cell" className="muted">
        {row === undefined ? '…' : formatClock(row.at, true)}
      </span>
      <span role="cell" className="event-phase muted">
        {row?.phase === undefined ? '' : `p${row.phase}`}
      </span>
      <span role="cell" className="event-type">
        <button type="button" className="event-select" onClick={select} tabIndex={-1}>
          {row?.type ?? '…'}
        </button>
      </span>
      <span role="cell" className="event-summary" title={row?.summary}>
        {row?.summary ?? ''}
      </span>
      <span role="cell" className="event-duration muted">
        {row?.durationMs === undefined ? '' : formatDuration(row.durationMs)}
      </span>
    </div>
  );
});
