import type { AppendResult, BlobWrite, StreamAppend } from './append/append-types.js';
import type { ReadCorrelationOptions, ReadOptions } from './read/event-reader.js';
import type { RecordedEvent } from './read/recorded-event.js';
import type { OpenStreamsOptions, StreamHead } from './read/stream-heads.js';

export interface AppendOptions {
  /** Stored in the same commit, and not at all when the append is refused. */
  readonly blobs?: readonly BlobWrite[];
}

/** Bytes by their SHA-256. */
export interface Blobs {
  put(content: Uint8Array): Promise<string>;
  get(hash: string): Promise<Uint8Array | undefined>;
  has(hashes: readonly string[]): Promise<Set<string>>;
  /** The files of a job, where those of some jobs are kept apart. */
  of?(correlationId: string): Pick<Blobs, 'put' | 'get' | 'has'>;
}

/**
 * What the engine asks of an event log. `EventStore` is the log on PostgreSQL; a log in memory that keeps the same
 * contract (labs/simulator/src) lets the whole engine run in one thread and in virtual time.
 */
export interface EventLog {
  readonly blobs: Blobs;
  /** See `EventStore.append` for what it throws. */
  append(appends: StreamAppend | readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult[]>;
  read(streamId: string, options?: ReadOptions): Promise<RecordedEvent[]>;
  readAt(streamId: string, version: number): Promise<RecordedEvent | undefined>;
  /** The event of this id, as everybody may see it: large texts are previews, and what is sealed stays so. */
  find(eventId: string): Promise<RecordedEvent | undefined>;
  readCorrelation(correlationId: string, options?: ReadCorrelationOptions): Promise<RecordedEvent[]>;
  iterate(streamId: string, options?: ReadOptions): AsyncGenerator<RecordedEvent, void, undefined>;
  iterateCorrelation(
    correlationId: string,
    options?: ReadCorrelationOptions,
  ): AsyncGenerator<RecordedEvent, void, undefined>;
  head(streamId: string): Promise<StreamHead | undefined>;
  openStreams(options: OpenStreamsOptions): Promise<StreamHead[]>;
}
