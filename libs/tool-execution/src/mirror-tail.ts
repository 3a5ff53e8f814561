import { decodeJobEvent, decodePhaseEvent, isSealedJob, parseStreamName } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import type { Lineage } from '@phaseline/history';
import { BlobMissing, type BlobReader, type FileEntry, type Mirror } from '@phaseline/workspace';

/** The events that change files; a job begins with its instructions and documents, a fork with the files of its parent. */
export const MIRRORED_TYPES = ['JobSubmitted', 'JobForked', 'PhaseForked', 'FileWritten', 'FileDeleted'] as const;

/**
 * Applies file events of the log to the mirror on disk, in order; those of sealed jobs are left out, since nothing of them may
 * lie on a disk in the clear. Throws MirrorFailed; the same events come again later.
 */
export async function mirrorEvents(
  events: readonly RecordedEvent[],
  mirror: Mirror,
  blobs: BlobReader,
  lineage: Pick<Lineage, 'jobBase' | 'phaseBase'>,
): Promise<void> {
  for (const recorded of events) {
    const stream = parseStreamName(recorded.streamId);
    if (!stream || isSealedJob(stream.jobId)) continue;
    const tree = await firstTree(recorded, lineage);
    for (const [path, entry] of Object.entries(tree ?? {}))
      await mirror.write(stream.jobId, path, await contentOf(blobs, path, entry));
    if (stream.kind === 'job') continue;
    const event = decodePhaseEvent(recorded);
    if (event.type === 'FileDeleted') await mirror.remove(stream.jobId, event.data.path);
    if (event.type === 'FileWritten')
      await mirror.write(stream.jobId, event.data.path, await contentOf(blobs, event.data.path, event.data));
  }
}

/** The files that a job begins with, where this event says so. */
async function firstTree(
  recorded: RecordedEvent,
  lineage: Pick<Lineage, 'jobBase' | 'phaseBase'>,
): Promise<Readonly<Record<string, FileEntry>> | undefined> {
  if (recorded.type === 'PhaseForked') return (await lineage.phaseBase(recorded))?.tree;
  const event = ['JobSubmitted', 'JobForked'].includes(recorded.type) ? decodeJobEvent(recorded) : undefined;
  if (event?.type === 'JobSubmitted') return event.data.tree;
  // A fork in the middle of a phase has that phase's files, which come with its PhaseForked.
  if (event?.type !== 'JobForked' || event.data.carried.phase) return undefined;
  return (await lineage.jobBase(recorded))?.submitted.tree;
}

/** A file that is larger comes a piece at a time. */
const IN_MEMORY_BYTES = 1024 * 1024;

async function contentOf(
  blobs: BlobReader,
  path: string,
  { hash, size }: FileEntry,
): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  if (size > IN_MEMORY_BYTES && blobs.stream) return blobs.stream(hash);
  const content = await blobs.get(hash);
  if (!content) throw new BlobMissing(path, hash);
  return content;
}
