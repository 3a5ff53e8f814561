import { jobEventDefinitions, type JobEvent } from '../job/job-events.js';
import { phaseEventDefinitions, type PhaseEvent } from '../phase/phase-events.js';
import type { EventDefinition } from './define-event.js';
import { upcast } from './upcast.js';

/** What decoding needs of a stored event; `streamId` and `version` are for the complaint. */
export interface StoredEvent {
  readonly streamId: string;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

/** A stored event is unknown or does not have its shape. The replay stops: going on would fold a state that never was. */
export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';
  readonly code = 'undecodable_event';
  constructor(
    readonly event: Pick<StoredEvent, 'streamId' | 'version' | 'type' | 'schemaVersion'>,
    problem: string,
  ) {
    super(
      `event ${event.version} of stream ${event.streamId} (${event.type}, version ${event.schemaVersion}) cannot be read: ${problem}. ` +
        'Run a release that knows it, or check the log with `phaseline audit verify`.',
    );
  }
}

const jobDefinitions = byType(jobEventDefinitions);
const phaseDefinitions = byType(phaseEventDefinitions);

/** A job event in today's shape. Throws UndecodableEvent. */
export function decodeJobEvent(stored: StoredEvent): JobEvent {
  return decode(jobDefinitions, stored) as JobEvent;
}

/** A phase event in today's shape. Throws UndecodableEvent. */
export function decodePhaseEvent(stored: StoredEvent): PhaseEvent {
  return decode(phaseDefinitions, stored) as PhaseEvent;
}

/** The version that a new event of this type is written with. */
export function schemaVersionOf(type: JobEvent['type'] | PhaseEvent['type']): number {
  const definition = phaseDefinitions.get(type) ?? jobDefinitions.get(type);
  if (!definition) throw new Error(`no event is called ${type}`);
  return definition.version;
}

function decode(definitions: ReadonlyMap<string, EventDefinition>, stored: StoredEvent): unknown {
  const definition = definitions.get(stored.type);
  if (!definition) throw new UndecodableEvent(stored, 'no event of that name is known');
  if (stored.schemaVersion > definition.version) {
    throw new UndecodableEvent(stored, `this release knows its versions up to ${definition.version}`);
  }
  const parsed = definition.data.safeParse(upcast(stored.type, stored.schemaVersion, definition.version, stored.data));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UndecodableEvent(stored, `${issue?.path.join('.') || 'data'}: ${issue?.message ?? 'wrong shape'}`);
  }
  return { type: stored.type, data: parsed.data };
}

function byType(definitions: readonly EventDefinition[]): ReadonlyMap<string, EventDefinition> {
  return new Map(definitions.map((definition) => [definition.type, definition]));
}
