import type { JobId, StreamId } from '@phaseline/contracts';

/** A stored event with whole texts. */
export interface ClaimEvent {
  readonly streamId: StreamId;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
  /** Hash of the event, hex. A fork names the event from which it continues by it. */
  readonly hash: string;
}

/** Where claims are derived from: the database, or an export. */
export interface ClaimSource {
  /** The streams of a job, in any order. Empty for an unknown job. */
  listStreams(jobId: JobId): Promise<readonly StreamId[]>;
  /** Yields the events of a stream, oldest first; none for an unknown stream. */
  readEvents(streamId: StreamId): AsyncIterable<ClaimEvent>;
  /** Reads the content with this hash; `undefined` if it is not there. */
  readContent(hash: string): Promise<Uint8Array | undefined>;
}
