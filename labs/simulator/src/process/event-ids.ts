import type { EventId } from '@phaseline/contracts';
import type { NewEvent } from '@phaseline/event-store';

const RANDOM_UUID_VERSION = '4';

/**
 * Replaces random event ids by numbers. Event ids decide nothing, but the hash chain covers them, so they must be the same in every
 * run of a seed. Derived ids are unchanged.
 */
export class EventIds {
  private readonly stableIds = new Map<EventId, EventId>();

  withStableId(event: NewEvent): NewEvent {
    if (event.eventId[14] !== RANDOM_UUID_VERSION) return event;
    let id = this.stableIds.get(event.eventId);
    if (id === undefined) {
      id = `00000000-0000-4000-8000-${(this.stableIds.size + 1).toString(16).padStart(12, '0')}`;
      this.stableIds.set(event.eventId, id);
    }
    return { ...event, eventId: id };
  }
}
