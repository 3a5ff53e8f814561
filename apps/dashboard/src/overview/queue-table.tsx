import type { QueueDepth } from '@phaseline/client';
import { Link } from 'wouter';
import { Badge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount, formatDuration } from '../ui/format.js';
import { QueryView } from '../ui/query-view.js';
import { Ago } from '../ui/time.js';
import { findJobsOfQueue } from './alert-link.js';
import { useQueues } from './use-overview.js';

/** Age in milliseconds from which the oldest message of a queue counts as slow. */
const SLOW_MS = 300_000;

const columns: readonly Column<QueueDepth>[] = [
  { key: 'queue', title: 'Queue', render: ({ queue }) => <strong>{queue}</strong> },
  { key: 'waiting', title: 'Waiting', isNumber: true, render: (queue) => <Waiting queue={queue} /> },
  { key: 'active', title: 'Running', isNumber: true, isSecondary: true, render: ({ active }) => formatCount(active) },
  {
    key: 'oldest',
    title: 'Oldest',
    isNumber: true,
    render: ({ longestWaitMs }) => (longestWaitMs === undefined ? '–' : formatDuration(longestWaitMs)),
  },
  {
    key: 'in',
    title: 'In / min',
    isNumber: true,
    isSecondary: true,
    render: ({ arrivalsPerMinute }) => formatRate(arrivalsPerMinute),
  },
  {
    key: 'out',
    title: 'Out / min',
    isNumber: true,
    isSecondary: true,
    render: ({ completionsPerMinute }) => formatRate(completionsPerMinute),
  },
  { key: 'drain', title: 'Time to drain', isNumber: true, isSecondary: true, render: describeDrain },
  { key: 'health', title: 'Health', render: (queue) => <Health queue={queue} /> },
];

/** Depth, age and rates of each queue. */
export function QueueTable() {
  const queues = useQueues();
  return (
    <Card
      title="Queues"
      actions={
        queues.data === undefined ? null : (
          <span className="muted">
            rates of the last {formatDuration(Math.round(queues.data.windowSeconds) * 1_000)}, updated{' '}
            <Ago at={queues.data.measuredAt} />
          </span>
        )
      }
    >
      <QueryView query={queues}>
        {({ queues: rows }) => <DataTable label="Queues" columns={columns} rows={rows} rowKey={({ queue }) => queue} />}
      </QueryView>
    </Card>
  );
}

/** The number of messages, with the way to the jobs that wait for them. */
function Waiting({ queue: { queue, waiting } }: { readonly queue: QueueDepth }) {
  if (waiting === 0) return '0';
  const { to, text } = findJobsOfQueue(queue);
  return (
    <Link href={to} title={text}>
      {formatCount(waiting)}
      <span className="visually-hidden"> on {queue}</span>
    </Link>
  );
}

function formatRate(perMinute: number): string {
  return perMinute >= 100 ? formatCount(Math.round(perMinute)) : perMinute.toFixed(1);
}

function describeDrain({ drainSeconds, isGrowing }: QueueDepth): string {
  if (isGrowing) return 'never';
  return drainSeconds === undefined ? '–' : formatDuration(drainSeconds * 1_000);
}

function Health({ queue: { isGrowing, longestWaitMs } }: { readonly queue: QueueDepth }) {
  if (isGrowing)
    return (
      <Badge tone="bad" glyph="▲">
        Growing
      </Badge>
    );
  const isSlow = (longestWaitMs ?? 0) > SLOW_MS;
  return (
    <Badge tone={isSlow ? 'warn' : 'ok'} glyph={isSlow ? '◷' : '●'}>
      {isSlow ? 'Slow' : 'Good'}
    </Badge>
  );
}
