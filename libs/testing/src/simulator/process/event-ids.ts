import type { NewEvent } from '@phaseline/event-store';

const RANDOM_UUID_VERSION = '4';

/**
 * Event ids decide nothing but must be the same in every run of a seed, as the hash chain covers them. Ids that were
 * drawn at random are numbered instead; ids that were derived stay.
 */
export class EventIds {
  private readonly numbered = new Map<string, string>();

  settled(event: NewEvent): NewEvent {
    if (event.eventId[14] !== RANDOM_UUID_VERSION) return event;
    let id = this.numbered.get(event.eventId);
    if (id === undefined) {
      id = `00000000-0000-4000-8000-${(this.numbered.size + 1).toString(16).padStart(12, '0')}`;
      this.numbered.set(event.eventId, id);
    }
    return { ...event, eventId: id };
  }
}
