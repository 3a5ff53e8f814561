import type { JsonObject } from '@phaseline/basics';

export interface NewEvent {
  /** A uuid. Its presence in the log is what makes a repeated append harmless, so derive it when the append may be repeated. */
  readonly eventId: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: JsonObject;
  /** Causation, actor, trace parent: whatever is about the event and not of it. */
  readonly metadata: JsonObject;
}

export interface StreamAppend {
  /** 1 to 255 printable ASCII characters without blanks. */
  readonly streamId: string;
  /** Same alphabet. A stream belongs to one correlation for good; its events share one total order of positions. */
  readonly correlationId: string;
  /** The version of the last event that the caller has seen; 0: the stream must not exist yet; 'any': not checked. */
  readonly expectedVersion: number | 'any';
  /** At least one. */
  readonly events: readonly NewEvent[];
  /** The last word: every later append to the stream is refused with StreamClosed, unless it reopens it. */
  readonly closesStream?: boolean;
  /** Taken although the stream is closed; afterwards it is open, unless `closesStream` is given too. */
  readonly reopensStream?: boolean;
  /** NOTIFY phaseline_control with the correlation id. For control events only: such commits wait for each other. */
  readonly wake?: boolean;
}

export interface BlobWrite {
  /** Name of the content (`contentHash`), 64 hex digits. */
  readonly hash: string;
  readonly content: Uint8Array;
}

export interface AppendResult {
  readonly streamId: string;
  /** Version of the append's last event. */
  readonly version: number;
  /** Position of the append's last event. */
  readonly position: number;
  /** Hash of the append's last event, hex. */
  readonly hash: string;
  /** UTC, ISO 8601 with six digits of a second. One value for all events of an append. */
  readonly recordedAt: string;
  /** True when all events were in the log already; nothing was written, and the fields are those of the first time. */
  readonly alreadyDone: boolean;
}

/** One EventStore.append: what is committed as a whole or not at all. */
export interface AppendUnit {
  readonly appends: readonly StreamAppend[];
  readonly blobs: readonly BlobWrite[];
}
