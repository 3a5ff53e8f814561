import type { EventRecord } from '@phaseline/client';
import type { RecordedEvent } from '@phaseline/event-store';

/** An event as the API shows it. */
export function toEventRecord(event: RecordedEvent): EventRecord {
  const { position, streamId, version, eventId, type, schemaVersion, data, metadata, recordedAt, hash } = event;
  return { position, streamId, version, eventId, type, schemaVersion, data, metadata, recordedAt, hash };
}
