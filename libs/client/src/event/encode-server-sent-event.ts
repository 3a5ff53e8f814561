import { STREAM_END, type EventRecord, type StreamEnd } from './event-record.js';

/** Comment that servers send at least every 15 seconds, so that proxies keep the stream open and readers detect a dead connection. */
export const KEEP_ALIVE_COMMENT = ': keep-alive\n\n';

/**
 * Encodes an event of the log as a server-sent event. It has no name, so that a browser's `EventSource.onmessage` receives it, and
 * its id is the position, so that `Last-Event-ID` resumes after it. JSON on one line contains no line breaks, so one `data` line is
 * enough.
 */
export function encodeEventRecord(record: EventRecord): string {
  return `id: ${record.position}\ndata: ${JSON.stringify(record)}\n\n`;
}

/** Encodes an id without data, which moves a reader's position past events that its filter excludes. */
export function encodePosition(position: number): string {
  return `id: ${position}\n\n`;
}

/** Encodes the last event of a stream, which tells a reader that the job has ended. */
export function encodeStreamEnd(end: StreamEnd): string {
  return `event: ${STREAM_END}\ndata: ${JSON.stringify(end)}\n\n`;
}
