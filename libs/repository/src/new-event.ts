import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { LOCAL_ACTOR, type Actor, type EventId, type JobId } from '@phaseline/contracts';
import { getSchemaVersion, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import { type JsonObject } from '@phaseline/basics';
import type { NewEvent } from '@phaseline/event-store';

/** Who wrote an event and what caused it. Stored in the event's metadata, not in its data. */
export interface EventOrigin {
  readonly actor: Actor;
  readonly causationId?: string;
  readonly traceparent?: string;
  /** SHA-256 of the request, for an event whose id is derived from a caller's key. It distinguishes a repeated request from a reused key. */
  readonly request?: string;
}

/** The stored form of an event, without what identifies it. */
export type EncodedEvent = Pick<NewEvent, 'type' | 'schemaVersion' | 'data'>;

/** Returns the form in which an event is stored. */
export function encodeEvent(event: JobEvent | PhaseEvent): EncodedEvent {
  return {
    type: event.type,
    schemaVersion: getSchemaVersion(event.type),
    // Parsed shapes are plain JSON, although their types do not say so.
    data: event.data as unknown as JsonObject,
  };
}

/** Converts a domain event for appending. Pass `eventId` if a repetition must be recognised. */
export function buildNewEvent(
  event: JobEvent | PhaseEvent,
  origin: EventOrigin,
  eventId: EventId = randomUUID(),
): NewEvent {
  return {
    eventId,
    ...encodeEvent(event),
    // Origins are plain JSON, although their type does not say so.
    metadata: { ...origin } as unknown as JsonObject,
  };
}

/**
 * Derives an event id from a name. Events that two processes may both record, such as the
 * result of a tool call that ran twice, get their id this way, so that the first one wins.
 */
export function deriveEventId(name: string): EventId {
  return deriveUuid(name);
}

/** Owner of an idempotency key. Equal keys of different tenants or actors do not collide. */
export interface KeyOwner {
  readonly tenant?: string | undefined;
  /** Opaque id: the name of an API key, or `queue`. Defaults to `local`. */
  readonly actorId?: string | undefined;
}

/**
 * Combines an idempotency key with its owner for deriving ids. The result is JSON, so that no choice of names and keys can
 * collide with the key of another owner.
 */
export function combineKeyWithOwner({ tenant, actorId = LOCAL_ACTOR }: KeyOwner, key: string): string {
  return JSON.stringify(tenant === undefined ? [actorId, key] : [tenant, actorId, key]);
}

export interface JobIdOptions extends KeyOwner {
  readonly isEncrypted: boolean;
  readonly key?: string | undefined;
}

/**
 * Creates the id of a new job. The same idempotency key of the same owner gives the same id. The id of an encrypted job is a
 * UUID of version 8, by which it is recognised.
 */
export function createJobId({ isEncrypted, key, tenant = 'default', actorId }: JobIdOptions): JobId {
  const owned = key === undefined ? undefined : combineKeyWithOwner({ tenant, actorId }, key);
  if (!isEncrypted) return owned === undefined ? randomUUID() : deriveUuid(`job/${owned}`);
  return formatUuid(
    owned === undefined ? randomBytes(16) : createHash('sha256').update(`phaseline:encrypted/${owned}`).digest(),
    8,
  );
}

/** Creates the id of a fork. The same idempotency key of the same actor gives the same id for the same parent. */
export function createForkJobId(parentId: JobId, { key, actorId }: Pick<JobIdOptions, 'key' | 'actorId'>): JobId {
  return key === undefined ? randomUUID() : deriveUuid(`fork/${parentId}/${combineKeyWithOwner({ actorId }, key)}`);
}

/** Derives a UUID from a name (RFC 9562, version 5 layout). */
function deriveUuid(name: string): string {
  return formatUuid(createHash('sha1').update(`phaseline:${name}`).digest(), 5);
}

function formatUuid(digest: Buffer, version: number): string {
  digest[6] = (digest[6]! & 0x0f) | (version << 4);
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
