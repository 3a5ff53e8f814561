import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { schemaVersionOf, type JobEvent, type JsonObject, type PhaseEvent } from '@phaseline/domain';
import type { NewEvent } from '@phaseline/event-store';

/** Who wrote an event and what led to it; kept beside the fact, not in it. */
export interface EventOrigin {
  /** The process or person, such as `tactical-worker-…` or the actor of a request. */
  readonly actor: string;
  readonly causationId?: string;
  readonly traceparent?: string;
  /** Of an event whose id was derived from a caller's key: the SHA-256 of what was asked for, to tell a repeat from a reuse. */
  readonly request?: string;
}

/** A domain event as the log takes it. Give `eventId` where a repetition must be recognised. */
export function newEvent(event: JobEvent | PhaseEvent, origin: EventOrigin, eventId: string = randomUUID()): NewEvent {
  return {
    eventId,
    type: event.type,
    schemaVersion: schemaVersionOf(event.type),
    // Parsed shapes are plain JSON; the type of zod's output only does not say so.
    data: event.data as unknown as JsonObject,
    metadata: { ...origin },
  };
}

/**
 * The same id for the same name, always (RFC 9562, version 5 layout). What two processes may both record, such as the
 * result of a tool call that was run twice, gets its id this way, so that the first one wins.
 */
export function eventIdFor(name: string): string {
  return uuidOf(createHash('sha1').update(`phaseline:${name}`).digest(), 5);
}

/** The actor of requests that nobody else is named for. */
const LOCAL_ACTOR = 'local';

/** Whose an idempotency key is. Keys of different tenants or actors never meet. */
export interface KeyOwner {
  readonly tenant?: string | undefined;
  /** Opaque: today the name of an API key, or `queue`. `local` where it is missing. */
  readonly actorId?: string | undefined;
}

/**
 * Returns an idempotency key as ids are derived from it: with its owner. As JSON, so that no choice of names and keys can make
 * the same text out of another owner's key.
 */
export function ownedKey({ tenant, actorId = LOCAL_ACTOR }: KeyOwner, key: string): string {
  return JSON.stringify(tenant === undefined ? [actorId, key] : [tenant, actorId, key]);
}

export interface NewJobId extends KeyOwner {
  readonly sealed: boolean;
  readonly key?: string | undefined;
}

/**
 * Returns the id of a new job; the same for the same idempotency key of the same owner. The id of a sealed job is of version 8,
 * by which it is recognised.
 */
export function newJobId({ sealed, key, tenant = 'default', actorId }: NewJobId): string {
  const owned = key === undefined ? undefined : ownedKey({ tenant, actorId }, key);
  if (!sealed) return owned === undefined ? randomUUID() : eventIdFor(`job/${owned}`);
  return uuidOf(
    owned === undefined ? randomBytes(16) : createHash('sha256').update(`phaseline:sealed/${owned}`).digest(),
    8,
  );
}

function uuidOf(digest: Buffer, version: number): string {
  digest[6] = (digest[6]! & 0x0f) | (version << 4);
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
