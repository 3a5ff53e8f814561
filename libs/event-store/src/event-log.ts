import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import type { AppendResult, BlobWrite, StreamAppend } from './append/append-types.js';
import type { ReadCorrelationOptions, ReadOptions } from './read/event-reader.js';
import type { EventContent } from './read/page-reader.js';
import type { RecordedEvent } from './read/recorded-event.js';
import type { OpenStreamsOptions, StreamHead } from './read/stream-heads.js';

export interface AppendOptions {
  /** Blobs to store in the same commit; not stored if the append is rejected. */
  readonly blobs?: readonly BlobWrite[];
}

/** Stores bytes under their content hash. */
export interface Blobs {
  put(content: Uint8Array): Promise<string>;
  get(hash: string): Promise<Uint8Array | undefined>;
  has(hashes: readonly string[]): Promise<Set<string>>;
  /** Returns the store for the files of a job, if some jobs have separate stores. */
  forJob?(correlationId: JobId): Pick<Blobs, 'put' | 'get' | 'has'>;
}

/**
 * The interface of an event log. `EventStore` implements it on PostgreSQL. An implementation in memory with the same contract
 * (labs/simulator/src) allows the whole engine to run in one thread and in virtual time.
 */
export interface EventLog {
  readonly blobs: Blobs;
  /** See `EventStore.append` for what it throws. */
  append(appends: StreamAppend | readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult[]>;
  read(streamId: StreamId, options?: ReadOptions): Promise<RecordedEvent[]>;
  readAt(streamId: StreamId, version: number): Promise<RecordedEvent | undefined>;
  /** Finds an event by id. Large texts are returned as previews, and encrypted content stays redacted. */
  find(eventId: EventId): Promise<RecordedEvent | undefined>;
  readCorrelation(correlationId: JobId, options?: ReadCorrelationOptions): Promise<RecordedEvent[]>;
  iterate(streamId: StreamId, options?: ReadOptions): AsyncGenerator<RecordedEvent, void, undefined>;
  /**
   * Like `iterate`, but yields pages, with only what folds read of each event. Absent in a log that reads whole events as fast.
   */
  iteratePages?(
    streamId: StreamId,
    options?: Pick<ReadOptions, 'from' | 'to'>,
  ): AsyncGenerator<readonly EventContent[], void, undefined>;
  iterateCorrelation(
    correlationId: JobId,
    options?: ReadCorrelationOptions,
  ): AsyncGenerator<RecordedEvent, void, undefined>;
  head(streamId: StreamId): Promise<StreamHead | undefined>;
  openStreams(options: OpenStreamsOptions): Promise<StreamHead[]>;
}
