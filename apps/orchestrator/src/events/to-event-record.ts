import type { EventRecord } from '@phaseline/client';
import { assertReadable } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';

/** Converts an event to its API form: as stored, marked if it cannot be read. */
export function toEventRecord(event: RecordedEvent): EventRecord {
  const { position, streamId, version, eventId, type, schemaVersion, data, metadata, recordedAt, hash } = event;
  const unreadableReason = problemOf(event);
  const marked = unreadableReason === undefined ? {} : { unreadableReason };
  // Written by this system, which always records an actor of this shape.
  return {
    position,
    streamId,
    version,
    eventId,
    type,
    schemaVersion,
    data,
    recordedAt,
    hash,
    ...marked,
    metadata: metadata as EventRecord['metadata'],
  };
}

function problemOf(event: RecordedEvent): string | undefined {
  try {
    assertReadable(event);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
