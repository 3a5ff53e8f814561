import { parseStreamName } from '../stream/stream-name.js';
import { todaysEvents, type EventReading } from './decode-event.js';
import { UndecodableEvent, type StoredEvent } from './undecodable-event.js';

/** An event that is about to be appended. `data` is what its JSON text parses to, which is what will be read. */
export interface EventToAppend extends Omit<StoredEvent, 'version'> {
  readonly correlationId: string;
}

/**
 * Throws UndecodableEvent when the event could not be read back by the schema that reads it. An event in the log stays
 * there for good, and one that no release can read makes its whole job unreadable; so it is refused while it can be.
 */
export function assertReadable(event: EventToAppend, reading: EventReading = todaysEvents): void {
  const stored = { ...event, version: 0 };
  const stream = parseStreamName(event.streamId);
  if (!stream) throw new UndecodableEvent(stored, 'its stream is that of neither a job nor a phase');
  if (stream.jobId !== event.correlationId)
    throw new UndecodableEvent(stored, `its stream belongs to job ${stream.jobId}, not to ${event.correlationId}`);
  (stream.kind === 'job' ? reading.job : reading.phase).decode(stored);
}
