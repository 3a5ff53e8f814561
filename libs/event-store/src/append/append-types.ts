import type { JsonObject } from '@phaseline/basics';
import type { EventId, JobId, StreamId } from '@phaseline/contracts';

export interface NewEvent {
  /** UUID. An append with ids that are already in the log has no effect, so derive the id if the append may be retried. */
  readonly eventId: EventId;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: JsonObject;
  /** Data about the event, such as causation, actor and trace parent. */
  readonly metadata: JsonObject;
}

export interface StreamAppend {
  /** 1 to 255 printable ASCII characters without blanks. */
  readonly streamId: StreamId;
  /** Same format as `streamId`. A stream belongs to one correlation permanently; positions order all events of a correlation. */
  readonly correlationId: JobId;
  /** Version of the last event that the caller has read; 0: the stream must not exist yet; 'any': not checked. */
  readonly expectedVersion: number | 'any';
  /** At least one. */
  readonly events: readonly NewEvent[];
  /** Closes the stream: later appends fail with StreamClosed unless they set `reopensStream`. */
  readonly closesStream?: boolean;
  /** Appends even if the stream is closed, and reopens it unless `closesStream` is set as well. */
  readonly reopensStream?: boolean;
  /** Sends NOTIFY phaseline_control with the correlation id. Use for control events only: such commits are serialised. The store sets it after a pause. */
  readonly wake?: boolean;
}

export interface BlobWrite {
  /** Content hash (`contentHash`), 64 hex digits. */
  readonly hash: string;
  readonly content: Uint8Array;
}

export interface AppendResult {
  readonly streamId: StreamId;
  /** Version of the append's last event. */
  readonly version: number;
  /** Position of the append's last event. */
  readonly position: number;
  /** Hash of the append's last event, hex. */
  readonly hash: string;
  /** UTC, ISO 8601 with microseconds. The same for all events of an append. */
  readonly recordedAt: string;
  /** True if all events were already in the log. Nothing was written; the other fields are those of the original append. */
  readonly alreadyDone: boolean;
}

/** The appends and blobs of one EventStore.append call, committed atomically. */
export interface AppendUnit {
  readonly appends: readonly StreamAppend[];
  readonly blobs: readonly BlobWrite[];
}
