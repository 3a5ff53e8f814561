import type { BlobStore } from '../blobs/blob-store.js';
import { LargeTextMissing } from '../large-text/large-text-errors.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import type { JsonObject } from '@phaseline/basics';
import type { JobKeyLookup, JobKeys } from './job-keys.js';
import { eventAssociatedData, ENCRYPTED_DATA_KEY, type CiphertextReference } from './encrypt-unit.js';
import { DecryptionFailed } from './encryption-errors.js';

/**
 * Decrypts the content of events; events of erased jobs stay redacted. Queries keys only if there is encrypted content, and blobs only
 * for long ciphertexts. Throws MasterKeyMissing, DecryptionFailed, LargeTextMissing and DatabaseUnreachable.
 */
export async function decryptEvents(
  events: RecordedEvent[],
  keys: Pick<JobKeys, 'find'>,
  blobs: Pick<BlobStore, 'getAll'>,
): Promise<RecordedEvent[]> {
  const encrypted = events.filter(({ metadata }) => ENCRYPTED_DATA_KEY in metadata);
  if (encrypted.length === 0) return events;
  const found = new Map<string, JobKeyLookup>();
  for (const { correlationId } of encrypted)
    if (!found.has(correlationId)) found.set(correlationId, await keys.find(correlationId));
  const long = encrypted
    .filter(({ correlationId }) => typeof found.get(correlationId) === 'object')
    .flatMap(({ metadata }) => referenceOf(metadata)?.blob ?? []);
  const contents = long.length === 0 ? new Map<string, Buffer>() : await blobs.getAll(long);
  return events.map((event) => {
    if (!(ENCRYPTED_DATA_KEY in event.metadata)) return event;
    const { [ENCRYPTED_DATA_KEY]: _ciphertext, ...metadata } = event.metadata;
    const key = found.get(event.correlationId);
    if (key === 'erased') return { ...event, metadata };
    const subject = `event ${event.version} of stream ${event.streamId}`;
    if (key === undefined || key === 'none')
      throw new DecryptionFailed(`${subject}, whose job has no key in the database,`);
    const plain = key.decrypt(ciphertextOf(event, contents), eventAssociatedData(event));
    if (!plain) throw new DecryptionFailed(subject);
    return { ...event, metadata, data: JSON.parse(plain.toString('utf8')) as JsonObject };
  });
}

function ciphertextOf({ metadata, streamId, version }: RecordedEvent, contents: ReadonlyMap<string, Buffer>): Buffer {
  const reference = referenceOf(metadata);
  if (!reference) return Buffer.from(String(metadata[ENCRYPTED_DATA_KEY]), 'base64');
  const content = contents.get(reference.blob);
  if (!content) throw new LargeTextMissing(streamId, version, reference.blob);
  return content;
}

function referenceOf(metadata: JsonObject): CiphertextReference | undefined {
  const encrypted = metadata[ENCRYPTED_DATA_KEY];
  // Only this library writes the member.
  return typeof encrypted === 'object' ? (encrypted as unknown as CiphertextReference) : undefined;
}
