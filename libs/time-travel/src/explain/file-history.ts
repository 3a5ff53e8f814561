import type { CallId, JobId } from '@phaseline/contracts';
import {
  decodeJobEvent,
  decodePhaseEvent,
  parseStreamName,
  type JobEvent,
  type JobEventData,
  type PhaseEventData,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import type { FileEntry } from '@phaseline/workspace';
import type { FileVersion } from './file-version.js';

/** Types of events that change the files of a job, or say in which phase it is. */
export const historyTypes = [
  'JobSubmitted',
  'RepositoryImported',
  'WorkspaceEdited',
  'JobCompleted',
  'PhaseDispatched',
  'FileWritten',
  'FileDeleted',
] as const;

/** A phase, with the job and position at which it was dispatched. */
export interface DispatchedPhase {
  readonly jobId: JobId;
  readonly position: number;
  readonly data: JobEventData<'PhaseDispatched'>;
}

type Mutable<Type> = { -readonly [Member in keyof Type]: Type[Member] };

/** What one commit did so far. A rename is recorded as two events in one commit, in either order. */
class Commit {
  readonly created = new Halves();
  readonly deleted = new Halves();
  /** Actors of the edits of this commit, by path. A running phase records an edit as a file event, before or after it. */
  readonly editors = new Map<string, string>();
  readonly edited = new Map<string, Mutable<FileVersion>>();

  constructor(readonly transactionId: string) {}
}

/** Halves of renames that wait for their other half: the same content, under another name, by the same call. */
class Halves {
  private readonly byContent = new Map<string, Set<Mutable<FileVersion>>>();

  add(version: Mutable<FileVersion>, callId: CallId | undefined): void {
    const key = `${version.hash} ${callId ?? ''}`;
    const versions = this.byContent.get(key);
    if (versions) versions.add(version);
    else this.byContent.set(key, new Set([version]));
  }

  /** Removes and returns the first version with this content that the call changed. */
  take({ hash }: FileVersion, callId: CallId | undefined): Mutable<FileVersion> | undefined {
    const versions = this.byContent.get(`${hash} ${callId ?? ''}`);
    const [first] = versions ?? [];
    if (first) versions?.delete(first);
    return first;
  }

  remove(version: FileVersion, callId: CallId | undefined): void {
    this.byContent.get(`${version.hash} ${callId ?? ''}`)?.delete(version);
  }
}

/** Folds the events of a job into the versions of its files. Costs nothing per phase, because no phase is folded. */
export class FileHistory {
  /** The newest version of each existing file, by path. */
  readonly files = new Map<string, FileVersion>();
  /** Dispatched phases by number. */
  readonly phases = new Map<number, DispatchedPhase>();
  private commit = new Commit('');

  /** Applies the next event, which must be one of `historyTypes`. Events are applied in the order of their positions. */
  apply(recorded: RecordedEvent): void {
    if (recorded.transactionId !== this.commit.transactionId) this.commit = new Commit(recorded.transactionId);
    const stream = parseStreamName(recorded.streamId);
    if (stream?.kind === 'phase') this.applyPhaseEvent(recorded, stream.phase);
    else this.applyJobEvent(recorded, decodeJobEvent(recorded));
  }

  private applyJobEvent(recorded: RecordedEvent, event: JobEvent): void {
    switch (event.type) {
      case 'JobSubmitted': {
        const { tree, actor } = event.data;
        for (const [path, entry] of Object.entries(tree))
          this.write(recorded, path, entry, { author: 'import', actor, imported: { from: 'submission' } });
        return;
      }
      case 'RepositoryImported': {
        const { tree, commit } = event.data;
        for (const [path, entry] of Object.entries(tree))
          this.write(recorded, path, entry, { author: 'import', imported: { from: 'repository', commit } });
        return;
      }
      case 'WorkspaceEdited':
        this.applyEdit(recorded, event.data);
        return;
      case 'JobCompleted': {
        const { file } = event.data;
        if (file) this.write(recorded, file.path, file, { author: 'system' });
        return;
      }
      case 'PhaseDispatched':
        this.phases.set(event.data.phase, {
          jobId: recorded.correlationId,
          position: recorded.position,
          data: event.data,
        });
    }
  }

  private applyEdit(recorded: RecordedEvent, { path, actor, file, phase }: JobEventData<'WorkspaceEdited'>): void {
    if (phase !== undefined) {
      this.commit.editors.set(path, actor);
      const edited = this.commit.edited.get(path);
      if (edited) edited.actor = actor;
    } else if (file) this.write(recorded, path, file, { author: 'person', actor });
    else this.remove(path, undefined);
  }

  private applyPhaseEvent(recorded: RecordedEvent, phase: number): void {
    const event = decodePhaseEvent(recorded);
    if (event.type === 'FileDeleted') this.remove(event.data.path, event.data.callId);
    if (event.type !== 'FileWritten') return;
    const { path, callId } = event.data;
    const author = findAuthor(event.data);
    const actor = author === 'person' ? this.commit.editors.get(path) : undefined;
    const about = {
      author,
      phase,
      ...(author === 'call' && callId !== undefined ? { callId } : {}),
      ...(actor === undefined ? {} : { actor }),
    };
    const version = this.write(recorded, path, event.data, about, callId);
    if (author === 'person') this.commit.edited.set(path, version);
  }

  private write(
    recorded: RecordedEvent,
    path: string,
    { hash, size, writtenAt, mode }: FileEntry,
    about: Pick<FileVersion, 'author'> & Partial<FileVersion>,
    callId?: CallId,
  ): Mutable<FileVersion> {
    const version: Mutable<FileVersion> = {
      ...{ path, hash, size, writtenAt, jobId: recorded.correlationId },
      ...(mode === undefined ? {} : { mode }),
      ...about,
      event: pickReference(recorded),
    };
    const before = this.files.get(path);
    this.files.set(path, version);
    const previous = before ?? this.commit.deleted.take(version, callId);
    if (previous) version.previous = previous;
    else this.commit.created.add(version, callId);
    return version;
  }

  private remove(path: string, callId: CallId | undefined): void {
    const version = this.files.get(path);
    if (!version) return;
    this.files.delete(path);
    // A file that is created and deleted in one commit is not the new name of another one.
    this.commit.created.remove(version, callId);
    const renamed = this.commit.created.take(version, callId);
    if (renamed) renamed.previous = version;
    else this.commit.deleted.add(version, callId);
  }
}

function findAuthor({ callId, origin }: PhaseEventData<'FileWritten'>): FileVersion['author'] {
  if (origin === 'person') return 'person';
  if (origin === 'outside') return 'outside';
  return callId === undefined ? 'system' : 'call';
}

function pickReference({ streamId, version, position, hash }: RecordedEvent): FileVersion['event'] {
  return { streamId, version, position, hash };
}
