import type { EventId, StreamId } from '@phaseline/contracts';
import { budgetReserved, budgetSettled } from '../budget/daily-budget.js';
import type { EventDefinition } from '../event/define-event.js';
import { EventCatalogue } from '../event/event-catalogue.js';
import { upcasters } from '../event/upcast.js';
import { guardRegistryEventDefinitions } from '../guard/registry/registry-events.js';
import { promotionEventDefinitions } from '../learning/promotion-events.js';
import { deadLetterDiscarded, deadLetterRetried } from './dead-letter-events.js';
import { preferencesChanged } from './preference-events.js';
import { principalEventDefinitions } from './principal-events.js';
import { learningTracesRemoved, retentionSet } from './retention-setting-events.js';
import { secretRemoved, secretStored } from './secret-events.js';
import { sessionEnded, sessionStarted } from './session-events.js';

/** A kind of stream that belongs to no job. Its correlation is the stream itself. */
export interface AdministrationStreamKind {
  /** Beginning of the names of these streams. */
  readonly prefix: string;
  /** Name pattern for documentation. */
  readonly pattern: string;
  readonly definitions: readonly EventDefinition[];
}

/** Streams about the installation: what people administer outside of jobs. */
export const administrationStreams: readonly AdministrationStreamKind[] = [
  {
    prefix: 'principal-',
    pattern: 'principal-<id>',
    definitions: [...principalEventDefinitions, sessionStarted, sessionEnded],
  },
  { prefix: 'secrets-', pattern: 'secrets-<tenant>', definitions: [secretStored, secretRemoved] },
  { prefix: 'retention-', pattern: 'retention-<tenant>', definitions: [retentionSet, learningTracesRemoved] },
  { prefix: 'dead-letter-', pattern: 'dead-letter-<id>', definitions: [deadLetterRetried, deadLetterDiscarded] },
  { prefix: 'budget-', pattern: 'budget-<day>-<actor>@<tenant>', definitions: [budgetReserved, budgetSettled] },
  { prefix: 'preferences-', pattern: 'preferences-<user>@<tenant>', definitions: [preferencesChanged] },
  { prefix: 'guard-', pattern: 'guard-<name>@<tenant>', definitions: guardRegistryEventDefinitions },
  { prefix: 'learning-trace-', pattern: 'learning-trace-<id>', definitions: promotionEventDefinitions },
];

export const administrationEventDefinitions: readonly EventDefinition[] = administrationStreams.flatMap(
  ({ definitions }) => definitions,
);

const catalogues: ReadonlyMap<string, EventCatalogue> = new Map(
  administrationStreams.map(({ prefix, definitions }) => [prefix, new EventCatalogue(definitions, upcasters)]),
);

/** Returns the event definitions of a stream that belongs to no job; undefined for every other stream. */
export function findAdministrationCatalogue(streamId: StreamId): EventCatalogue | undefined {
  const kind = administrationStreams.find(({ prefix }) => streamId.startsWith(prefix));
  return kind && catalogues.get(kind.prefix);
}

/** Newest known version of every event about the installation. */
export function listAdministrationVersions(): Readonly<Record<string, number>> {
  return Object.fromEntries(administrationEventDefinitions.map(({ type, version }) => [type, version]));
}

/** Name of the stream of a principal: its roles, keys and sessions. */
export function principalStream(id: string): StreamId {
  return `principal-${id}`;
}

/** Name of the stream with the changes of a tenant's secrets. */
export function secretsStream(tenant: string): StreamId {
  return `secrets-${tenant}`;
}

/** Name of the stream with the changes of how long a tenant keeps what its ended jobs leave behind. */
export function retentionStream(tenant: string): StreamId {
  return `retention-${tenant}`;
}

/** Name of the stream with the lasting preferences of a person for plans in a tenant. */
export function preferencesStream(user: string, tenant: string): StreamId {
  return `preferences-${user}@${tenant}`;
}

/** Name of the stream with what people did with a dead letter. */
export function deadLetterStream(id: number): StreamId {
  return `dead-letter-${id}`;
}

/** Name of the stream of a stored guard. Without a tenant, it is a guard of the installation. */
export function guardStream(name: string, tenant: string | undefined): StreamId {
  return tenant === undefined ? `guard-${name}` : `guard-${name}@${tenant}`;
}

/** Name of the stream with the promotions of a learning trace. */
export function learningTraceStream(id: EventId): StreamId {
  return `learning-trace-${id}`;
}

/** Version with which a new event about the installation is written. */
export function getAdministrationVersion(type: string): number {
  const definition = administrationEventDefinitions.find((known) => known.type === type);
  if (!definition) throw new Error(`unknown event type ${type}`);
  return definition.version;
}
