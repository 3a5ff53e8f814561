import { isDeepStrictEqual } from 'node:util';
import { InvalidAppend } from '../append/append-errors.js';
import type { AppendUnit, BlobWrite, NewEvent, StreamAppend } from '../append/append-types.js';
import { contentHash } from '../blobs/content-hash.js';
import { LARGE_TEXT } from '../large-text/large-text.js';
import { wellFormed, wellFormedJson, type JsonObject } from '@phaseline/basics';
import { placeOf } from './authenticated-cipher.js';
import type { JobKey } from './job-key.js';
import { isSealedCorrelation } from './sealed-correlation.js';

/**
 * The member of an event's metadata that holds what its data really is: the ciphertext in base64, or the blob that it was
 * put into because it is long. The data beside it shows only what may be seen.
 */
export const SEALED = '$sealed';

/** A ciphertext that is kept as a blob. */
export interface SealedBlobReference {
  readonly blob: string;
  /** In bytes. */
  readonly size: number;
}

/** Takes the content out of an event's data. What it returns is stored for everybody to see. */
export type Redact = (type: string, data: JsonObject) => JsonObject;

/** Where a ciphertext belongs; it opens nowhere else. */
export function eventPlace(event: {
  readonly streamId: string;
  readonly eventId: string;
  readonly type: string;
}): string {
  return placeOf('phaseline event', event.streamId, event.eventId.toLowerCase(), event.type);
}

/** The sealed correlation of a unit; undefined for nearly all. Throws InvalidAppend for one that has others beside it. */
export function sealedCorrelationOf(unit: AppendUnit): string | undefined {
  const sealed = unit.appends.find(({ correlationId }) => isSealedCorrelation(correlationId))?.correlationId;
  if (sealed !== undefined && unit.appends.some(({ correlationId }) => correlationId !== sealed))
    throw new InvalidAppend('an append to a sealed correlation names no other one');
  return sealed;
}

/**
 * The unit as it is stored: every event that has content shows its redacted form, with the whole as ciphertext in its
 * metadata. The key is asked for only if there is content. Blobs of the unit are not looked at.
 */
export async function sealUnit(unit: AppendUnit, redact: Redact, keyOf: () => Promise<JobKey>): Promise<AppendUnit> {
  const blobs: BlobWrite[] = [...unit.blobs];
  const appends: StreamAppend[] = [];
  for (const append of unit.appends) {
    const events: NewEvent[] = [];
    for (const event of append.events) {
      const data = wellFormed(event.data);
      const shown = redact(event.type, data);
      if (isDeepStrictEqual(shown, data)) {
        events.push(event);
        continue;
      }
      const key = await keyOf();
      const plain = Buffer.from(wellFormedJson(data), 'utf8');
      const sealed = key.seal(plain, eventPlace({ streamId: append.streamId, ...event }));
      events.push({ ...event, data: shown, metadata: { ...event.metadata, [SEALED]: stored(sealed, blobs) } });
    }
    appends.push({ ...append, events });
  }
  return { appends, blobs };
}

function stored(sealed: Buffer, blobs: BlobWrite[]): string | JsonObject {
  const text = sealed.toString('base64');
  if (text.length <= LARGE_TEXT) return text;
  const blob = contentHash(sealed);
  blobs.push({ hash: blob, content: sealed });
  return { blob, size: sealed.byteLength };
}
