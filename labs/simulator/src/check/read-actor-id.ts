import { actorSchema } from '@phaseline/contracts';
import type { RecordedEvent } from '@phaseline/event-store';

/** Returns the id of the process, service or person that recorded the event. */
export function readActorId({ metadata }: RecordedEvent): string {
  return actorSchema.parse(metadata['actor']).id;
}
