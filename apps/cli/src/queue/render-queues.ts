import type { DeadLetterRecord, QueueDepth, QueueDepths } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatAge, formatCount, pluralise } from '../output/quantities.js';
import { renderTable } from '../output/table.js';

export function renderQueues(
  depths: QueueDepths,
  deadLetters: readonly DeadLetterRecord[],
  options: { readonly paint: Paint; readonly columns?: number | undefined; readonly now: number },
): string[] {
  const { paint } = options;
  const lines = renderTable<QueueDepth>(
    [
      { title: 'QUEUE', cell: (queue) => toPrintable(queue.queue) },
      { title: 'WAITING', align: 'right', cell: (queue) => String(queue.waiting) },
      { title: 'ACTIVE', align: 'right', cell: (queue) => String(queue.active) },
      { title: 'DELAYED', align: 'right', cell: (queue) => String(queue.delayed) },
      {
        title: 'FAILED',
        align: 'right',
        cell: (queue) => String(queue.failed),
        paint: (text, queue) => (queue.failed > 0 ? paint.red(text) : text),
      },
      {
        title: 'OLDEST',
        align: 'right',
        cell: (queue) => (queue.longestWaitMs === undefined ? '-' : formatAge(queue.longestWaitMs)),
      },
      { title: 'IN/MIN', align: 'right', cell: (queue) => formatRate(queue.arrivalsPerMinute) },
      { title: 'DONE/MIN', align: 'right', cell: (queue) => formatRate(queue.completionsPerMinute) },
      {
        title: 'DRAINS IN',
        align: 'right',
        cell: renderDrain,
        paint: (text, queue) => (queue.isGrowing ? paint.red(text) : text),
      },
    ],
    depths.queues,
    { title: paint.dim },
  );
  lines.push('', paint.dim(`Rates of the last ${formatAge(depths.windowSeconds * 1_000)}.`));
  const summary = `${depths.deadLetterCount === 0 ? 'No dead letters' : pluralise(depths.deadLetterCount, 'dead letter')}, backend ${depths.backend}.`;
  lines.push(depths.deadLetterCount > 0 ? paint.red(summary) : paint.dim(summary));
  if (deadLetters.length === 0) return lines;
  return [...lines, ...renderDeadLetters(deadLetters, options)];
}

/** A rate with one decimal below ten per minute: `0`, `0.4`, `12`. */
function formatRate(perMinute: number): string {
  if (perMinute === 0) return '0';
  if (perMinute < 0.05) return '<0.1';
  return perMinute < 9.95 ? perMinute.toFixed(1) : formatCount(Math.round(perMinute));
}

function renderDrain({ isGrowing, drainSeconds }: QueueDepth): string {
  if (isGrowing) return 'never';
  return drainSeconds === undefined ? '-' : formatAge(drainSeconds * 1_000);
}

/** Renders a table of dead letters with their reasons and the ids to retry or discard them. */
export function renderDeadLetters(
  deadLetters: readonly DeadLetterRecord[],
  { paint, columns, now }: { readonly paint: Paint; readonly columns?: number | undefined; readonly now: number },
): string[] {
  return renderTable<DeadLetterRecord>(
    [
      { title: 'ID', align: 'right', cell: (deadLetter) => deadLetter.id },
      {
        title: 'AGE',
        align: 'right',
        cell: (deadLetter) => formatAge(Math.max(0, now - Date.parse(deadLetter.failedAt))),
      },
      { title: 'QUEUE', cell: (deadLetter) => toPrintable(deadLetter.queue) },
      { title: 'MESSAGE', cell: (deadLetter) => toPrintable(deadLetter.messageId) },
      { title: 'TRIES', align: 'right', cell: (deadLetter) => String(deadLetter.attempts) },
      {
        title: 'REASON',
        cell: (deadLetter) =>
          toPrintable([deadLetter.kind, deadLetter.code, deadLetter.reason].filter(Boolean).join(': ')),
      },
    ],
    deadLetters,
    { width: columns, title: paint.dim },
  );
}
