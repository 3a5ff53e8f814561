import type { CallId, JobId, StreamId } from '@phaseline/contracts';
import type { FileEntry } from '@phaseline/workspace';

/**
 * Who wrote a version of a file. `import`: it came with the submission or the repository. `outside`: something changed it in the
 * working folder of a phase, and no call did. `system`: Phaseline itself, such as archives and `output/completion.json`.
 */
type FileAuthor = 'call' | 'person' | 'import' | 'outside' | 'system';

/** An event in the log, named so that it can be found and checked there. */
interface EventReference {
  readonly streamId: StreamId;
  readonly version: number;
  readonly position: number;
  /** Hash of the event, 64 hex digits. */
  readonly hash: string;
}

/** The content that a file had from one event until the next one that changed it. */
export interface FileVersion extends FileEntry {
  readonly path: string;
  readonly author: FileAuthor;
  /** The job whose stream contains the event: for a fork, it may be the parent. */
  readonly jobId: JobId;
  /** Number of the phase; absent if the event belongs to no phase. */
  readonly phase?: number;
  /** The call that wrote the version, if the author is a call. */
  readonly callId?: CallId;
  /** Who wrote or submitted it, if the author is a person, or the version came with the submission. */
  readonly actor?: string;
  /** Where the version came from, if it was imported. `commit` is that of the repository. */
  readonly imported?: { readonly from: 'submission' } | { readonly from: 'repository'; readonly commit: string };
  readonly event: EventReference;
  /** What the file was before: its previous content, or that of the file which the same commit renamed to this one. */
  readonly previous?: FileVersion;
}
