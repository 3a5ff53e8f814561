import { hash } from 'node:crypto';
import type { EventId, JobId, StreamId } from '@phaseline/contracts';

/** The hashed fields of an event, exactly as stored: data and metadata are the stored text, not a re-serialisation. */
export interface HashedEvent {
  readonly streamId: StreamId;
  readonly version: number;
  /** UUID in lower case. */
  readonly eventId: EventId;
  readonly type: string;
  readonly schemaVersion: number;
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ` */
  readonly recordedAt: string;
  readonly correlationId: JobId;
  readonly data: string;
  readonly metadata: string;
}

/** Previous hash of the first event of a stream. */
export const CHAIN_START = Buffer.alloc(32);

/**
 * Returns the canonical text of an event: one netstring (`<length in bytes of UTF-8>:<value>,`) for each field, in the order of
 * HashedEvent. The lengths make it unambiguous for any values. phaseline.event_hash (migrations/000002_append.sql) implements it in SQL.
 */
export function canonicalEvent(event: HashedEvent): string {
  return (
    netstring(event.streamId) +
    netstring(String(event.version)) +
    netstring(event.eventId) +
    netstring(event.type) +
    netstring(String(event.schemaVersion)) +
    netstring(event.recordedAt) +
    netstring(event.correlationId) +
    netstring(event.data) +
    netstring(event.metadata)
  );
}

/** Computes the hash of an event: SHA-256 over the 32 bytes of the previous hash of its stream and the canonical text. */
export function eventHash(previous: Uint8Array, event: HashedEvent): Buffer {
  const text = canonicalEvent(event);
  const bytes = Buffer.allocUnsafe(32 + Buffer.byteLength(text));
  bytes.set(toChainLink(previous), 0);
  bytes.write(text, 32);
  return hash('sha256', bytes, 'buffer');
}

/**
 * Returns the 32 bytes that the next event is chained to. A stored hash of another length was tampered with. It is hashed, so that it
 * has the right length and matches no event.
 */
export function toChainLink(stored: Uint8Array): Uint8Array {
  return stored.byteLength === CHAIN_START.byteLength ? stored : hash('sha256', stored, 'buffer');
}

function netstring(value: string): string {
  return `${Buffer.byteLength(value)}:${value},`;
}
