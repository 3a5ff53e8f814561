import { toIsoMicros } from '../database/iso-micros.js';
import type { JsonObject } from '@phaseline/basics';
import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import type { StoredEvent } from '../chain/diagnose-stream.js';

/** An event in the log. */
export interface RecordedEvent {
  /** Position in the log; increases, with gaps. Within a correlation, positions increase in commit order. */
  readonly position: number;
  readonly streamId: StreamId;
  /** Number of the event in its stream, consecutive from 1. */
  readonly version: number;
  readonly eventId: EventId;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  /** UTC, ISO 8601 with microseconds. */
  readonly recordedAt: string;
  readonly correlationId: JobId;
  /** Id of the transaction that wrote it (xid8, decimal). The tail is ordered by it. */
  readonly transactionId: string;
  /** 64 hex digits; see canonical-event.ts. */
  readonly hash: string;
}

/** The columns of a RecordedEvent in the order that `toRecordedEvent` expects. */
export const EVENT_COLUMNS =
  'position, stream_id, version, event_id, type, schema_version, data, metadata, recorded_at, correlation_id, transaction_id, hash';

/** A row of EVENT_COLUMNS as unparsed text. Parsing it here instead of in pg saves a Date and some lookups per row. */
export type EventRow = readonly [
  position: string,
  streamId: StreamId,
  version: string,
  eventId: EventId,
  type: string,
  schemaVersion: string,
  data: string,
  metadata: string,
  recordedAt: string,
  correlationId: JobId,
  transactionId: string,
  hash: string,
];

export function toRecordedEvent(row: EventRow): RecordedEvent {
  return {
    position: Number(row[0]),
    streamId: row[1],
    version: Number(row[2]),
    eventId: row[3],
    type: row[4],
    schemaVersion: Number(row[5]),
    data: JSON.parse(row[6]) as JsonObject,
    metadata: JSON.parse(row[7]) as JsonObject,
    recordedAt: toIsoMicros(row[8]),
    correlationId: row[9],
    transactionId: row[10],
    hash: row[11].slice(2),
  };
}

/** Converts an event of an archive. */
export function toRecordedColdEvent(event: StoredEvent): RecordedEvent {
  return {
    ...event,
    data: JSON.parse(event.data) as JsonObject,
    metadata: JSON.parse(event.metadata) as JsonObject,
    transactionId: String(event.transactionId),
    hash: event.hash.toString('hex'),
  };
}
