import { summariseEvent, type EventRecord } from '@phaseline/client';
import type { StreamId } from '@phaseline/contracts';
import { displayWidth, fit, padEnd, padStart } from '../output/display-width.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';

/** Width of the summary on a pipe, whose reader has no known width. Tool results may be long. */
const GIST_COLUMNS = 200;
const TYPE_COLUMNS = 21;

/** Renders an event on one line: position, time (UTC), stream, type, summary. */
export function renderEvent(
  event: EventRecord,
  options: { readonly paint: Paint; readonly columns?: number | undefined },
): string {
  const { paint } = options;
  const position = padStart(String(event.position), 7);
  const time = formatTime(event.recordedAt);
  const stream = padEnd(formatStreamName(event.streamId), 9);
  const type = padEnd(toPrintable(event.type), TYPE_COLUMNS);
  const before = displayWidth(`${position}  ${time}  ${stream}  ${type}  `);
  const gist = fit(
    toPrintable(event.unreadableReason === undefined ? summariseEvent(event) : `unreadable: ${event.unreadableReason}`),
    options.columns === undefined ? GIST_COLUMNS : Math.max(10, options.columns - before),
  );
  return `${paint.dim(position)}  ${paint.dim(time)}  ${paint.cyan(stream)}  ${chooseTypeColour(event.type, paint)(type)}  ${gist}`.trimEnd();
}

/** Returns `job`, `phase 3`, or the full name of a stream of unknown kind. */
export function formatStreamName(streamId: StreamId): string {
  if (/^job-[0-9a-f-]{36}$/.test(streamId)) return 'job';
  const [, phase] = /^phase-[0-9a-f-]{36}-(\d+)$/.exec(streamId) ?? [];
  return phase === undefined ? toPrintable(streamId) : `phase ${phase}`;
}

/** Formats a UTC time to the millisecond: `2025-03-01 12:30:01.123`. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? toPrintable(iso) : time.toISOString().replace('T', ' ').replace('Z', '');
}

function chooseTypeColour(type: string, paint: Paint): (text: string) => string {
  if (/(Failed|Denied|Rejected)$/.test(type)) return paint.red;
  if (/(Cancelled|CancelRequested|Nudged|Resumed)$/.test(type)) return paint.yellow;
  return /^(Job|Phase)/.test(type) ? paint.green : String;
}
