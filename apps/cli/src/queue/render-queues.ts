import type { DeadLetter, QueueDepth, QueueDepths } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { age, counted } from '../output/quantities.js';
import { tableLines } from '../output/table.js';

export function renderQueues(
  depths: QueueDepths,
  dead: readonly DeadLetter[],
  options: { readonly paint: Paint; readonly columns?: number | undefined; readonly now: number },
): string[] {
  const { paint } = options;
  const lines = tableLines<QueueDepth>(
    [
      { title: 'QUEUE', cell: (queue) => printable(queue.name) },
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
        cell: (queue) => (queue.oldestWaitingMs === undefined ? '-' : age(queue.oldestWaitingMs)),
      },
    ],
    depths.queues,
    { title: paint.dim },
  );
  const summary = `${depths.deadLetters === 0 ? 'No dead letters' : counted(depths.deadLetters, 'dead letter')}, backend ${depths.backend}.`;
  lines.push('', depths.deadLetters > 0 ? paint.red(summary) : paint.dim(summary));
  if (dead.length === 0) return lines;
  return [...lines, ...renderDeadLetters(dead, options)];
}

/** A table of dead letters: what is needed to judge one, and the id to retry or discard it by. */
export function renderDeadLetters(
  dead: readonly DeadLetter[],
  { paint, columns, now }: { readonly paint: Paint; readonly columns?: number | undefined; readonly now: number },
): string[] {
  return tableLines<DeadLetter>(
    [
      { title: 'ID', align: 'right', cell: (letter) => letter.id },
      { title: 'AGE', align: 'right', cell: (letter) => age(Math.max(0, now - Date.parse(letter.failedAt))) },
      { title: 'QUEUE', cell: (letter) => printable(letter.queue) },
      { title: 'MESSAGE', cell: (letter) => printable(letter.messageId) },
      { title: 'TRIES', align: 'right', cell: (letter) => String(letter.attempts) },
      {
        title: 'REASON',
        cell: (letter) => printable([letter.kind, letter.code, letter.reason].filter(Boolean).join(': ')),
      },
    ],
    dead,
    { width: columns, title: paint.dim },
  );
}
