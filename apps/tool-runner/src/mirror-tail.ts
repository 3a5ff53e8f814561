import type { JobId } from '@phaseline/contracts';
import { decodeJobEvent, decodePhaseEvent, isEncryptedJob, parseStreamName } from '@phaseline/domain';
import { isUnreachable, type MirroredFile, type RecordedEvent, type UnmirroredFiles } from '@phaseline/event-store';
import type { Lineage } from '@phaseline/repository';
import { BlobMissing, type BlobReader, type FileEntry, type StoredContent, type Mirror } from '@phaseline/workspace';

/**
 * Events that change files. A job starts with its instructions and documents, a fork with the files of its parent, and a phase with
 * those that the system changed since the phase before.
 */
export const MIRRORED_TYPES = [
  'JobSubmitted',
  'JobForked',
  'WorkspaceEdited',
  'JobCompleted',
  'PhaseForked',
  'PhaseStarted',
  'FileWritten',
  'FileDeleted',
] as const;

export interface MirrorParts {
  readonly mirror: Mirror;
  readonly blobs: BlobReader;
  readonly lineage: Pick<Lineage, 'loadJobBase' | 'loadPhaseBase'>;
  readonly unmirrored: Pick<UnmirroredFiles, 'add' | 'findRecorded' | 'remove'>;
  /** Called once for every file that could not be written. */
  readonly onUnmirrored: (file: MirroredFile, error: unknown) => void;
}

/**
 * Applies file events of the log to the mirror on disk, in order. Encrypted jobs are skipped, because none of their
 * content may be on a disk unencrypted. A file that cannot be written is remembered and skipped. Throws only errors
 * that affect all files (MirrorFailed when nothing can be written below the mirror's root, DatabaseUnreachable); the
 * same events are then delivered again.
 */
export async function mirrorEvents(events: readonly RecordedEvent[], parts: MirrorParts): Promise<void> {
  const { lineage, unmirrored } = parts;
  const streams = events.map((recorded) => parseStreamName(recorded.streamId));
  const jobIds = streams.flatMap((stream) => (stream && !isEncryptedJob(stream.jobId) ? [stream.jobId] : []));
  if (jobIds.length === 0) return;
  const failing = new Set(await unmirrored.findRecorded([...new Set(jobIds)]));
  for (const [index, recorded] of events.entries()) {
    const stream = streams[index];
    if (!stream || isEncryptedJob(stream.jobId)) continue;
    const { jobId } = stream;
    const files = await filesOf(recorded, jobId, lineage).catch((error: unknown) =>
      reportUnreadable(error, jobId, parts),
    );
    for (const file of files) {
      const key = `${jobId}/${file.path}`;
      // Before the write, so that a running retry with older content ends first.
      const wasFailing = failing.delete(key);
      if (wasFailing) await unmirrored.remove(jobId, file.path);
      try {
        await mirrorFile(file, parts);
      } catch (error) {
        if (isUnreachable(rootCause(error))) throw error;
        if (!(await parts.mirror.isWritable())) throw error;
        failing.add(key);
        const isNew = await unmirrored.add(file, messageOf(error));
        if (isNew && !wasFailing) parts.onUnmirrored(file, error);
      }
    }
  }
}

/** Writes or removes one file, as recorded in the log. */
export async function mirrorFile(
  { jobId, path, content }: MirroredFile,
  { mirror, blobs }: Pick<MirrorParts, 'mirror' | 'blobs'>,
): Promise<void> {
  if (content === undefined) await mirror.remove(jobId, path);
  else await mirror.write(jobId, path, await contentOf(blobs, path, content), content.mode);
}

/** Returns the files that an event changes. */
async function filesOf(
  recorded: RecordedEvent,
  jobId: JobId,
  lineage: MirrorParts['lineage'],
): Promise<readonly MirroredFile[]> {
  const tree = Object.entries((await firstTree(recorded, lineage)) ?? {});
  const files = tree.map(([path, content]): MirroredFile => ({ jobId, path, content }));
  if (recorded.type === 'WorkspaceEdited') {
    const edited = decodeJobEvent(recorded);
    // An edit that a phase received is also in the stream of the phase, where it has its place among the writes of the agent.
    if (edited.type !== 'WorkspaceEdited' || edited.data.phase !== undefined) return files;
    return [{ jobId, path: edited.data.path, content: edited.data.file }];
  }
  if (recorded.type === 'JobCompleted') {
    const completed = decodeJobEvent(recorded);
    if (completed.type !== 'JobCompleted' || !completed.data.file) return files;
    return [{ jobId, path: completed.data.file.path, content: completed.data.file }];
  }
  if (parseStreamName(recorded.streamId)?.kind === 'job') return files;
  if (recorded.type === 'PhaseStarted') return listFilesOfStart(recorded, jobId);
  const event = decodePhaseEvent(recorded);
  if (event.type === 'FileDeleted') files.push({ jobId, path: event.data.path, content: undefined });
  if (event.type === 'FileWritten') files.push({ jobId, path: event.data.path, content: event.data });
  return files;
}

/** Returns the files that the system changed before a phase. Most phases have none, and then their tree is not decoded. */
function listFilesOfStart(recorded: RecordedEvent, jobId: JobId): readonly MirroredFile[] {
  const { workspace } = recorded.data as { workspace?: { changed?: unknown } };
  const event = workspace?.changed === undefined ? undefined : decodePhaseEvent(recorded);
  if (event?.type !== 'PhaseStarted') return [];
  const { tree, changed = [] } = event.data.workspace;
  return changed.map((path) => ({ jobId, path, content: Object.hasOwn(tree, path) ? tree[path] : undefined }));
}

/** Reports an event that cannot be read, so that it does not delay the files of other jobs. */
async function reportUnreadable(error: unknown, jobId: JobId, parts: MirrorParts): Promise<readonly MirroredFile[]> {
  if (isUnreachable(rootCause(error))) throw error;
  const file: MirroredFile = { jobId, path: '', content: undefined };
  if (await parts.unmirrored.add(file, messageOf(error))) parts.onUnmirrored(file, error);
  return [];
}

/** Returns the initial files of a job if this event defines them. */
async function firstTree(
  recorded: RecordedEvent,
  lineage: MirrorParts['lineage'],
): Promise<Readonly<Record<string, FileEntry>> | undefined> {
  if (recorded.type === 'PhaseForked') return (await lineage.loadPhaseBase(recorded))?.tree;
  const event = ['JobSubmitted', 'JobForked'].includes(recorded.type) ? decodeJobEvent(recorded) : undefined;
  if (event?.type === 'JobSubmitted') return event.data.tree;
  // A fork in the middle of a phase starts with that phase's files, which its PhaseForked defines.
  if (event?.type !== 'JobForked' || event.data.carried.phase) return undefined;
  return (await lineage.loadJobBase(recorded))?.submitted.tree;
}

/** Size in bytes above which a file is streamed instead of read into memory. */
const MAX_IN_MEMORY_BYTES = 1024 * 1024;

async function contentOf(
  blobs: BlobReader,
  path: string,
  { hash, size }: StoredContent,
): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  if (size > MAX_IN_MEMORY_BYTES && blobs.stream) return checkedStream(blobs.stream(hash), path, hash, size);
  const content = await blobs.get(hash);
  if (!content) throw new BlobMissing(path, hash);
  return content;
}

/** Checks the size of a stream, because a missing blob streams as nothing and must not become an empty file. */
async function* checkedStream(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  hash: string,
  size: number,
): AsyncGenerator<Uint8Array> {
  let missingBytes = size;
  for await (const chunk of chunks) {
    missingBytes -= chunk.byteLength;
    yield chunk;
  }
  if (missingBytes !== 0) throw new BlobMissing(path, hash);
}

function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined && !isUnreachable(cause)) cause = cause.cause;
  return cause;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
