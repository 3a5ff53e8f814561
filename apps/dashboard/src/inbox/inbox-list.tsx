import type { InboxItem } from '@phaseline/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useImperativeHandle, useRef, type KeyboardEvent, type Ref } from 'react';
import { Badge } from '../ui/badge.js';
import { formatCount } from '../ui/format.js';
import { Ago } from '../ui/time.js';
import { describeKind, keyOfEntry, summariseEntry } from './inbox-entry.js';

const ROW_HEIGHT = 68;

/** The entries, oldest first. The arrow keys select; the selected entry is the one that is shown. */
export function InboxList({
  ref,
  items,
  selected,
  hasMore,
  loadMore,
  onSelect,
}: {
  readonly ref: Ref<HTMLDivElement>;
  readonly items: readonly InboxItem[];
  readonly selected: string | undefined;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly onSelect: (item: InboxItem) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => scroller.current!);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
  });
  const index = items.findIndex((item) => keyOfEntry(item) === selected);
  useEffect(() => {
    if (index >= 0) virtualizer.scrollToIndex(index);
  }, [index, virtualizer]);
  const rows = virtualizer.getVirtualItems();
  const isNearEnd = hasMore && (rows.at(-1)?.index ?? 0) >= items.length - 10;
  useEffect(() => {
    if (isNearEnd) loadMore();
    // With more items, the end may still be near.
  }, [isNearEnd, items.length, loadMore]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const last = items.length - 1;
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = items[Math.min(last, Math.max(0, to))];
    if (next) onSelect(next);
  };
  return (
    <div className="inbox-list">
      <p className="inbox-count muted">
        {formatCount(items.length)}
        {hasMore ? '+' : ''} waiting, oldest first
      </p>
      <div
        ref={scroller}
        role="listbox"
        aria-label="What waits for a person"
        aria-activedescendant={selected === undefined ? undefined : idOf(selected)}
        tabIndex={0}
        className="inbox-scroller"
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className="inbox-rows" style={{ height: virtualizer.getTotalSize() }}>
          {rows.map(({ index: at, start }) => {
            const item = items[at]!;
            return (
              <Row
                {...{ item, onSelect, start }}
                key={keyOfEntry(item)}
                position={at + 1}
                count={items.length}
                isSelected={at === index}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Row({
  item,
  start,
  position,
  count,
  isSelected,
  onSelect,
}: {
  readonly item: InboxItem;
  readonly start: number;
  readonly position: number;
  readonly count: number;
  readonly isSelected: boolean;
  readonly onSelect: (item: InboxItem) => void;
}) {
  const { name, tone, glyph } = describeKind(item.kind);
  return (
    <div
      id={idOf(keyOfEntry(item))}
      role="option"
      aria-selected={isSelected}
      aria-posinset={position}
      aria-setsize={count}
      className="inbox-row"
      style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
      onClick={() => onSelect(item)}
    >
      <span className="inbox-row-head">
        <Badge tone={tone} glyph={glyph}>
          {name}
        </Badge>
        <span className="ellipsis">{item.agent}</span>
        <span className="muted inbox-row-age">
          <Ago at={item.askedAt} suffix="" />
        </span>
      </span>
      <span className="ellipsis" title={summariseEntry(item)}>
        {summariseEntry(item)}
      </span>
    </div>
  );
}

function idOf(key: string): string {
  return `entry-${key}`;
}
