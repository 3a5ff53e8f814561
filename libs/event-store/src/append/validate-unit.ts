import { ENCRYPTED_DATA_KEY } from '../encryption/encrypt-unit.js';
import { LARGE_TEXTS_KEY } from '../large-text/large-text.js';
import { isWellFormedText } from '@phaseline/basics';
import type { StreamId, EventId } from '@phaseline/contracts';
import { BlobMismatch } from '../blobs/blob-errors.js';
import { contentHash } from '../blobs/content-hash.js';
import { PIECE_BYTES } from '../blobs/piece.js';
import { InvalidAppend } from './append-errors.js';
import type { AppendUnit, BlobWrite, NewEvent, StreamAppend } from './append-types.js';

const ID_PATTERN = /^[\x21-\x7e]{1,255}$/;
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const INT4_MAX = 0x7fffffff;

/**
 * Rejects what the database would reject. Without this check, an invalid value of one caller would fail every append of a shared commit.
 * Throws InvalidAppend, and BlobMismatch for a blob of one piece.
 */
export function validateUnit(unit: AppendUnit): void {
  if (unit.appends.length === 0) throw new InvalidAppend('an append must contain at least one stream');
  const streams = new Set<StreamId>();
  const events = new Set<EventId>();
  for (const append of unit.appends) {
    validateAppend(append);
    if (streams.has(append.streamId))
      throw new InvalidAppend(`stream ${append.streamId} occurs twice in one append: put its events into one list`);
    streams.add(append.streamId);
    for (const event of append.events) {
      validateEvent(append.streamId, event);
      const eventId = event.eventId.toLowerCase();
      if (events.has(eventId)) throw new InvalidAppend(`event id ${eventId} occurs twice in one append`);
      events.add(eventId);
    }
  }
  // Larger blobs are stored piece by piece before the append and checked there. Hashing them here would block the event loop.
  for (const blob of unit.blobs) if (blob.content.byteLength <= PIECE_BYTES) verifyBlob(blob);
}

/** Throws BlobMismatch if the content does not match its hash. */
export function verifyBlob({ hash, content }: BlobWrite): void {
  const actual = contentHash(content);
  if (actual !== hash) throw new BlobMismatch(hash, actual);
}

function validateAppend({ streamId, correlationId, expectedVersion, events }: StreamAppend): void {
  if (!ID_PATTERN.test(streamId))
    throw new InvalidAppend(
      `stream id ${JSON.stringify(streamId)} is not 1 to 255 printable ASCII characters without blanks`,
    );
  if (!ID_PATTERN.test(correlationId))
    throw new InvalidAppend(
      `correlation id ${JSON.stringify(correlationId)} is not 1 to 255 printable ASCII characters without blanks`,
    );
  if (expectedVersion !== 'any' && !(Number.isSafeInteger(expectedVersion) && expectedVersion >= 0)) {
    throw new InvalidAppend(
      `expected version ${String(expectedVersion)} of stream ${streamId} is neither a non-negative integer nor 'any'`,
    );
  }
  if (events.length === 0) throw new InvalidAppend(`the append to stream ${streamId} contains no event`);
}

function validateEvent(streamId: StreamId, event: NewEvent): void {
  if (!UUID_PATTERN.test(event.eventId))
    throw new InvalidAppend(`event id ${JSON.stringify(event.eventId)} for stream ${streamId} is not a uuid`);
  if (event.type === '' || !isWellFormedText(event.type))
    throw new InvalidAppend(
      `event type ${JSON.stringify(event.type)} for stream ${streamId} is empty or not well-formed`,
    );
  if (!(Number.isSafeInteger(event.schemaVersion) && event.schemaVersion >= 0 && event.schemaVersion <= INT4_MAX)) {
    throw new InvalidAppend(
      `schema version ${String(event.schemaVersion)} of event ${event.type} for stream ${streamId} is not an integer from 0 to ${INT4_MAX}`,
    );
  }
  for (const part of ['data', 'metadata'] as const) {
    const value: unknown = event[part];
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      throw new InvalidAppend(`${part} of event ${event.type} for stream ${streamId} is not an object`);
  }
  for (const reserved of [LARGE_TEXTS_KEY, ENCRYPTED_DATA_KEY])
    if (reserved in event.metadata)
      throw new InvalidAppend(
        `metadata of event ${event.type} for stream ${streamId} contains ${reserved}, which is reserved for the event store`,
      );
}
