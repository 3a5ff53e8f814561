import type { JobId } from '@phaseline/contracts';
import { findAdministrationCatalogue } from '../administration/administration-events.js';
import { parseStreamName } from '../stream/stream-name.js';
import { currentCatalogues, type EventCatalogues } from './decode-event.js';
import { UndecodableEvent, type StoredEvent } from './undecodable-event.js';

/** An event to be appended. `data` is what its JSON text parses to, because that is what will be read back. */
export interface EventToAppend extends Omit<StoredEvent, 'version'> {
  readonly correlationId: JobId;
}

/**
 * Throws UndecodableEvent if the event could not be read back with its schema. Events stay in the log forever, and one
 * unreadable event makes its whole job unreadable, so it must be rejected before it is appended.
 */
export function assertReadable(event: EventToAppend, reading: EventCatalogues = currentCatalogues): void {
  const stored = { ...event, version: 0 };
  const administration = findAdministrationCatalogue(event.streamId);
  if (administration) {
    if ((event.correlationId as string) !== event.streamId)
      throw new UndecodableEvent(stored, 'its stream belongs to no job, so its correlation must be the stream itself');
    administration.decode(stored);
    return;
  }
  const stream = parseStreamName(event.streamId);
  if (!stream) throw new UndecodableEvent(stored, 'its stream is not of a known kind');
  if (stream.jobId !== event.correlationId)
    throw new UndecodableEvent(stored, `its stream belongs to job ${stream.jobId}, not to ${event.correlationId}`);
  (stream.kind === 'job' ? reading.job : reading.phase).decode(stored);
}
