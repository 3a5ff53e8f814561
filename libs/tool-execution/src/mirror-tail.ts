import { decodeJobEvent, decodePhaseEvent, parseStreamName } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import { BlobMissing, type BlobReader, type Mirror } from '@phaseline/workspace';

/** The events that change files; a job begins with its instructions and documents. */
export const MIRRORED_TYPES = ['JobSubmitted', 'FileWritten', 'FileDeleted'] as const;

/** Applies file events of the log to the mirror on disk, in order. Throws MirrorFailed; the same events come again later. */
export async function mirrorEvents(events: readonly RecordedEvent[], mirror: Mirror, blobs: BlobReader): Promise<void> {
  for (const recorded of events) {
    const stream = parseStreamName(recorded.streamId);
    if (!stream) continue;
    if (stream.kind === 'job') {
      const event = decodeJobEvent(recorded);
      if (event.type !== 'JobSubmitted') continue;
      for (const [path, { hash }] of Object.entries(event.data.tree))
        await mirror.write(stream.jobId, path, await contentOf(blobs, path, hash));
      continue;
    }
    const event = decodePhaseEvent(recorded);
    if (event.type === 'FileDeleted') await mirror.remove(stream.jobId, event.data.path);
    if (event.type === 'FileWritten')
      await mirror.write(stream.jobId, event.data.path, await contentOf(blobs, event.data.path, event.data.hash));
  }
}

async function contentOf(blobs: BlobReader, path: string, hash: string): Promise<Uint8Array> {
  const content = await blobs.get(hash);
  if (!content) throw new BlobMissing(path, hash);
  return content;
}
