import { isDeepStrictEqual } from 'node:util';
import { InvalidAppend } from '../append/append-errors.js';
import type { AppendUnit, BlobWrite, NewEvent, StreamAppend } from '../append/append-types.js';
import { contentHash } from '../blobs/content-hash.js';
import { LARGE_TEXT_CHARACTERS } from '../large-text/large-text.js';
import { toWellFormed, toWellFormedJson, type JsonObject } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import { encodeAssociatedData } from './authenticated-cipher.js';
import type { JobKey } from './job-key.js';
import { isEncryptedCorrelation } from './encrypted-correlation.js';
import type { RecordedEvent } from '../read/recorded-event.js';

/**
 * Member of the metadata with the encrypted data: the ciphertext in base64, or a reference to its blob if it is long. The data of the
 * event contains only the redacted form.
 */
export const ENCRYPTED_DATA_KEY = '$encrypted';

/** Reference to a ciphertext that is stored as a blob. */
export interface CiphertextReference {
  readonly blob: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Redacts the data of an event. The result is stored unencrypted. */
export type Redact = (type: string, data: JsonObject) => JsonObject;

/** Returns the place that the ciphertext of an event is bound to. */
export function eventAssociatedData(event: Pick<RecordedEvent, 'streamId' | 'eventId' | 'type'>): string {
  return encodeAssociatedData('phaseline event', event.streamId, event.eventId.toLowerCase(), event.type);
}

/** Returns the encrypted correlation of a unit, or undefined. Throws InvalidAppend if the unit contains other correlations as well. */
export function findEncryptedCorrelation(unit: AppendUnit): JobId | undefined {
  const encrypted = unit.appends.find(({ correlationId }) => isEncryptedCorrelation(correlationId))?.correlationId;
  if (encrypted !== undefined && unit.appends.some(({ correlationId }) => correlationId !== encrypted))
    throw new InvalidAppend('an append to an encrypted correlation must not contain other correlations');
  return encrypted;
}

/**
 * Encrypts a unit: replaces the data of each event by its redacted form, with the ciphertext in its metadata. Events without content to
 * redact stay unchanged, and the key is requested only if necessary. Does not encrypt the blobs of the unit.
 */
export async function encryptUnit(unit: AppendUnit, redact: Redact, keyOf: () => Promise<JobKey>): Promise<AppendUnit> {
  const blobs: BlobWrite[] = [...unit.blobs];
  const appends: StreamAppend[] = [];
  for (const append of unit.appends) {
    const events: NewEvent[] = [];
    for (const event of append.events) {
      const data = toWellFormed(event.data);
      const redacted = redact(event.type, data);
      if (isDeepStrictEqual(redacted, data)) {
        events.push(event);
        continue;
      }
      const key = await keyOf();
      const plain = Buffer.from(toWellFormedJson(data), 'utf8');
      const ciphertext = key.encrypt(plain, eventAssociatedData({ streamId: append.streamId, ...event }));
      const metadata = { ...event.metadata, [ENCRYPTED_DATA_KEY]: storeCiphertext(ciphertext, blobs) };
      events.push({ ...event, data: redacted, metadata });
    }
    appends.push({ ...append, events });
  }
  return { appends, blobs };
}

/** Returns the metadata value for a ciphertext. Adds a long ciphertext to the blobs. */
function storeCiphertext(ciphertext: Buffer, blobs: BlobWrite[]): string | JsonObject {
  const text = ciphertext.toString('base64');
  if (text.length <= LARGE_TEXT_CHARACTERS) return text;
  const blob = contentHash(ciphertext);
  blobs.push({ hash: blob, content: ciphertext });
  return { blob, size: ciphertext.byteLength };
}
