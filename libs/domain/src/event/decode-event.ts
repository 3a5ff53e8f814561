import { jobEventDefinitions, type JobEvent } from '../job/job-events.js';
import { phaseEventDefinitions, type PhaseEvent } from '../phase/phase-events.js';
import { EventCatalogue } from './event-catalogue.js';
import type { StoredEvent } from './undecodable-event.js';
import { upcasters } from './upcast.js';

/** What the events of a log are written and read by. A release has one; another one stands for another release. */
export interface EventReading {
  readonly job: EventCatalogue;
  readonly phase: EventCatalogue;
}

/** The events of this release. */
export const todaysEvents: EventReading = {
  job: new EventCatalogue(jobEventDefinitions, upcasters),
  phase: new EventCatalogue(phaseEventDefinitions, upcasters),
};

/** A job event in today's shape. Throws UndecodableEvent. */
export function decodeJobEvent(stored: StoredEvent): JobEvent {
  return todaysEvents.job.decode(stored) as JobEvent;
}

/** A phase event in today's shape. Throws UndecodableEvent. */
export function decodePhaseEvent(stored: StoredEvent): PhaseEvent {
  return todaysEvents.phase.decode(stored) as PhaseEvent;
}

const isPhaseType: ReadonlySet<string> = new Set(phaseEventDefinitions.map(({ type }) => type));

/** The version that a new event of this type is written with. */
export function schemaVersionOf(
  type: JobEvent['type'] | PhaseEvent['type'],
  reading: EventReading = todaysEvents,
): number {
  return (isPhaseType.has(type) ? reading.phase : reading.job).versionOf(type);
}

/** The newest version of every event that this release knows. */
export function knownEvents(reading: EventReading = todaysEvents): Readonly<Record<string, number>> {
  return { ...reading.job.knows(), ...reading.phase.knows() };
}
