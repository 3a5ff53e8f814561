import { listAdministrationVersions } from '../administration/administration-events.js';
import { jobEventDefinitions, type JobEvent } from '../job/job-events.js';
import { phaseEventDefinitions, type PhaseEvent } from '../phase/phase-events.js';
import { EventCatalogue } from './event-catalogue.js';
import type { StoredEvent } from './undecodable-event.js';
import { upcasters } from './upcast.js';

/** The event definitions of a release, used to write and read the log. Specs pass another one to act as another release. */
export interface EventCatalogues {
  readonly job: EventCatalogue;
  readonly phase: EventCatalogue;
}

/** The event definitions of this release. */
export const currentCatalogues: EventCatalogues = {
  job: new EventCatalogue(jobEventDefinitions, upcasters),
  phase: new EventCatalogue(phaseEventDefinitions, upcasters),
};

/** Decodes a job event into its current shape. Throws UndecodableEvent. */
export function decodeJobEvent(stored: StoredEvent): JobEvent {
  return currentCatalogues.job.decode(stored) as JobEvent;
}

/** Decodes a phase event into its current shape. Throws UndecodableEvent. */
export function decodePhaseEvent(stored: StoredEvent): PhaseEvent {
  return currentCatalogues.phase.decode(stored) as PhaseEvent;
}

const phaseEventTypes: ReadonlySet<string> = new Set(phaseEventDefinitions.map(({ type }) => type));

/** The version with which a new event of this type is written. */
export function getSchemaVersion(
  type: JobEvent['type'] | PhaseEvent['type'],
  reading: EventCatalogues = currentCatalogues,
): number {
  return (phaseEventTypes.has(type) ? reading.phase : reading.job).getVersion(type);
}

/** The newest known version of every event type. */
export function listEventVersions(): Readonly<Record<string, number>> {
  return {
    ...currentCatalogues.job.listVersions(),
    ...currentCatalogues.phase.listVersions(),
    ...listAdministrationVersions(),
  };
}
