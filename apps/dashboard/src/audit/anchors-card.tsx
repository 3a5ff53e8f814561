import type { AnchorRecord } from '@phaseline/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount, formatDateTime } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { Empty, ErrorNotice } from '../ui/notice.js';

/** The signed anchors of the log, newest first. */
export function AnchorsCard() {
  const query = useInfiniteQuery({
    queryKey: ['audit', 'anchors'],
    queryFn: ({ pageParam, signal }) =>
      client.audit.anchors({ limit: 20, ...(pageParam === undefined ? {} : { before: pageParam }) }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ nextBefore }) => nextBefore,
    refetchInterval: 30_000,
  });
  const anchors = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Card title="Anchors">
      {query.error ? <ErrorNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending ? <Loading /> : null}
      {query.isSuccess && anchors.length === 0 ? (
        <Empty>
          No anchors. Without them, nothing shows that the ends of streams were removed: set PHASELINE_AUDIT_KEY_FILE,
          or run phaseline audit anchor.
        </Empty>
      ) : null}
      {anchors.length > 0 ? (
        <DataTable label="Anchors" columns={columns} rows={anchors} rowKey={({ number }) => String(number)} />
      ) : null}
      {query.hasNextPage ? (
        <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older anchors
        </Button>
      ) : null}
    </Card>
  );
}

const columns: readonly Column<AnchorRecord>[] = [
  { key: 'number', title: 'Anchor', isNumber: true, render: ({ number }) => formatCount(number) },
  {
    key: 'at',
    title: 'Time',
    render: ({ anchoredAt }) => (
      <time dateTime={anchoredAt} className="nowrap">
        {formatDateTime(anchoredAt)}
      </time>
    ),
  },
  { key: 'streams', title: 'Streams', isNumber: true, render: ({ streams }) => formatCount(streams) },
  {
    key: 'changed',
    title: 'Of them changed',
    isNumber: true,
    isSecondary: true,
    render: ({ changedStreams }) => formatCount(changedStreams),
  },
  { key: 'events', title: 'Events', isNumber: true, isSecondary: true, render: ({ events }) => formatCount(events) },
  {
    key: 'key',
    title: 'Signed by',
    isSecondary: true,
    render: ({ keyId }) => (
      <span className="mono" title={keyId}>
        {keyId.slice(0, 16)}…
      </span>
    ),
  },
  { key: 'receipt', title: 'Receipt', render: ({ receipt }) => <Receipt state={receipt} /> },
];

const looks = { stored: ['ok', '✓'], missing: ['warn', '!'], unknown: ['neutral', '–'] } as const;
const words = { stored: 'stored', missing: 'missing', unknown: 'not kept here' } as const;

function Receipt({ state }: { readonly state: AnchorRecord['receipt'] }) {
  const [tone, glyph] = looks[state];
  return (
    <Badge tone={tone} glyph={glyph}>
      {words[state]}
    </Badge>
  );
}
