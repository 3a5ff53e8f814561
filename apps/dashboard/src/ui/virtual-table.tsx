import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import { useIsNarrow } from './use-is-narrow.js';
import './virtual-table.css';

export interface VirtualColumn<Row> {
  readonly key: string;
  readonly title: ReactNode;
  /** A track of CSS grid, such as `120px` or `minmax(0, 1fr)`. */
  readonly width: string;
  readonly render: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** Hidden where the window is narrow. */
  readonly isSecondary?: boolean;
}

const ROW_HEIGHT = 36;

/**
 * A table of any length: only the visible rows exist in the page. Rows have one height, and the table takes the height of its container.
 * `onEnd` is called when the end comes near, to load the next page.
 */
export function VirtualTable<Row>({
  label,
  columns: allColumns,
  rows,
  rowKey,
  rowHeight = ROW_HEIGHT,
  totalCount,
  onEnd,
  isRowSelected,
  footer,
}: {
  readonly label: string;
  readonly columns: readonly VirtualColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly rowHeight?: number;
  /** Number of all rows, if more exist than are loaded and it is known. */
  readonly totalCount?: number;
  readonly onEnd?: () => void;
  readonly isRowSelected?: (row: Row) => boolean;
  readonly footer?: ReactNode;
}) {
  const isNarrow = useIsNarrow();
  const columns = allColumns.filter(({ isSecondary = false }) => !(isNarrow && isSecondary));
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isNearEnd = last >= rows.length - 20;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, rows.length, onEnd]);
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <div
      ref={scroller}
      className="virtual-table"
      role="table"
      aria-label={label}
      aria-rowcount={(totalCount ?? rows.length) + 1}
      tabIndex={0}
    >
      <div role="rowgroup" className="virtual-head">
        <div role="row" aria-rowindex={1} className="virtual-row" style={template}>
          {columns.map(({ key, title, isNumber }) => (
            <div key={key} role="columnheader" className={isNumber === true ? 'number' : undefined}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="virtual-body" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <div
              key={rowKey(row)}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={isRowSelected?.(row)}
              className="virtual-row"
              style={{ ...template, height: rowHeight, transform: `translateY(${start}px)` }}
            >
              {columns.map(({ key, render, isNumber }) => (
                <div key={key} role="cell" className={isNumber === true ? 'number' : undefined}>
                  {render(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {footer}
    </div>
  );
}
