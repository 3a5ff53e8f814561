import { MAX_TEXT_BYTES, type Prompt } from '@phaseline/context';
import type { CallId } from '@phaseline/contracts';
import { foldPhase, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { BlobWrite } from '@phaseline/event-store';
import {
  getJobBlobs,
  readTextByHash,
  StagedWorkspace,
  toText,
  type BlobReader,
  type FileChange,
} from '@phaseline/workspace';
import type { PhaseAppendOptions } from '@phaseline/repository';
import { deriveEndIds } from '../call/call-request.js';
import type { HandedEnd } from '../call/handed-end.js';
import { closeOpenCalls } from './close-open-calls.js';

/**
 * Collects the events of one step for one commit. Each event is applied to the state, so that the next decision sees
 * it.
 */
export class PendingCommit {
  readonly events: PhaseEvent[] = [];
  readonly blobs: BlobWrite[] = [];
  readonly workspace: StagedWorkspace;
  /** Prompt of the call that this step reserved, so that the next step need not build it again. */
  prompt?: Prompt;
  /** The state after the first `foldedEvents` events. Folded when it is read, because the end of a call never reads it. */
  private folded: PhaseState;
  private foldedEvents = 0;
  private readonly blobReader: BlobReader;
  /** The end of a call that another process decided. Its events are the first ones. */
  private handedEnd: HandedEnd | undefined;

  constructor(
    /** The state in the log. */
    readonly base: PhaseState,
    blobs: BlobReader,
    /** Time of the writes of this commit. */
    readonly now: Date,
  ) {
    this.folded = base;
    this.blobReader = getJobBlobs(blobs, base.start.identity.jobId);
    this.workspace = new StagedWorkspace(base.tree, this.blobReader);
  }

  /** The state with all recorded events. */
  get state(): PhaseState {
    if (this.foldedEvents < this.events.length) {
      this.folded = foldPhase(this.events.slice(this.foldedEvents), this.folded) ?? this.folded;
      this.foldedEvents = this.events.length;
    }
    return this.folded;
  }

  record(...events: readonly PhaseEvent[]): void {
    for (const event of events) {
      if (event.type === 'PhaseFailed') this.events.push(...closeOpenCalls(this.state));
      this.events.push(event);
    }
  }

  /** Stages file changes and records them. Throws InvalidPath, in which case none of them is recorded. */
  changeFiles(files: readonly FileChange[], callId?: CallId): void {
    const { facts, blobs } = this.workspace.stage(files, this.now, callId);
    this.record(...facts);
    this.blobs.push(...blobs);
  }

  /** Records events whose files are already in the database. */
  recordWithStoredFiles(...events: readonly PhaseEvent[]): void {
    this.record(...events);
    this.workspace.moveTo(this.state.tree);
  }

  /** Records the end of a call that another process decided, before everything else. */
  adopt(end: HandedEnd): void {
    this.handedEnd = end;
    this.recordWithStoredFiles(...end.events);
  }

  /** How the events are appended that another process decided. */
  get adopted(): Pick<PhaseAppendOptions, 'eventIds' | 'origins'> {
    if (!this.handedEnd) return {};
    const { callId, epoch, events, origin } = this.handedEnd;
    const { jobId, phase } = this.base.start.identity;
    return {
      eventIds: deriveEndIds(events, { jobId, phase, callId, epoch }),
      origins: Object.fromEntries(events.map((_, index) => [index, origin])),
    };
  }

  /** Reads a text by its content hash, staged or stored; `undefined` if it is no text, missing or larger than this. */
  async readTextByHash(hash: string, maxBytes: number): Promise<string | undefined> {
    const staged = this.blobs.find((blob) => blob.hash === hash)?.content;
    return staged ? toText(staged, maxBytes) : readTextByHash(this.blobReader, hash, maxBytes);
  }

  /** Reads the text of a file, at most its first MAX_TEXT_BYTES bytes, because an agent can make a file of any size. */
  async readText(path: string): Promise<string | undefined> {
    const bytes = await this.workspace.readRange(path, { offset: 0, length: MAX_TEXT_BYTES });
    return bytes && new TextDecoder().decode(bytes);
  }
}
