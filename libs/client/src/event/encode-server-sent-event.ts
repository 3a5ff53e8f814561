import { STREAM_END, type EventRecord, type StreamEnd } from './event-record.js';

/** Servers send this at least every 15 seconds, so that proxies keep the stream open and readers notice a dead one. */
export const KEEP_ALIVE_COMMENT = ': keep-alive\n\n';

/**
 * An event of the log as a server-sent event. It carries no name, so that a browser's `EventSource.onmessage` sees it, and
 * its position as id, so that `Last-Event-ID` resumes behind it. JSON has no line breaks outside of strings, so one
 * `data` line is enough.
 */
export function encodeEventRecord(record: EventRecord): string {
  return `id: ${record.position}\ndata: ${JSON.stringify(record)}\n\n`;
}

/** An id without data: moves a reader's position over events that its filter left out. */
export function encodePosition(position: number): string {
  return `id: ${position}\n\n`;
}

/** Tells a reader that the job has ended and nothing more will come. */
export function encodeStreamEnd(end: StreamEnd): string {
  return `event: ${STREAM_END}\ndata: ${JSON.stringify(end)}\n\n`;
}
