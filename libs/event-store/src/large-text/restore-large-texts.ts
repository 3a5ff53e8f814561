import type { BlobStore } from '../blobs/blob-store.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { LargeTextMissing } from './large-text-errors.js';
import { getLargeTexts, insertLargeTexts } from './large-text.js';

/**
 * Restores all large texts of the events with a single query, or none if there are no large texts.
 * Throws LargeTextMissing and BlobCorrupt.
 */
export async function restoreLargeTexts<
  Event extends Pick<RecordedEvent, 'streamId' | 'version' | 'data' | 'metadata'>,
>(blobs: Pick<BlobStore, 'getAll'>, events: Event[]): Promise<Event[]> {
  const hashes = new Set<string>();
  for (const { metadata } of events) for (const { hash } of getLargeTexts(metadata)) hashes.add(hash);
  if (hashes.size === 0) return events;
  const found = await blobs.getAll([...hashes]);
  const texts = new Map([...found].map(([hash, content]) => [hash, content.toString('utf8')]));
  return events.map((event) => {
    const large = getLargeTexts(event.metadata);
    if (large.length === 0) return event;
    const data = insertLargeTexts(event.data, large, (hash) => {
      const text = texts.get(hash);
      if (text === undefined) throw new LargeTextMissing(event.streamId, event.version, hash);
      return text;
    });
    return { ...event, data };
  });
}
