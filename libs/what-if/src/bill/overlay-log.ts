import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import type {
  AppendOptions,
  AppendResult,
  Blobs,
  EventLog,
  OpenStreamsOptions,
  ReadCorrelationOptions,
  ReadOptions,
  RecordedEvent,
  StreamAppend,
  StreamHead,
} from '@phaseline/event-store';
import { MemoryLog } from '@phaseline/memory-log';

/** The log as it is, with further streams in memory: a job can be played again without a trace in the log. */
export class OverlayLog implements EventLog {
  readonly blobs: Blobs;
  private readonly added: MemoryLog;

  constructor(
    private readonly base: Pick<EventLog, 'read' | 'readAt' | 'iterate' | 'blobs'>,
    now: () => number,
  ) {
    this.added = new MemoryLog(now);
    this.blobs = overlayBlobs(base.blobs, this.added.blobs);
  }

  append(appends: StreamAppend | readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult[]> {
    return this.added.append(appends, options);
  }

  read(streamId: StreamId, options?: ReadOptions): Promise<RecordedEvent[]> {
    return this.choose(streamId).read(streamId, options);
  }

  readAt(streamId: StreamId, version: number): Promise<RecordedEvent | undefined> {
    return this.choose(streamId).readAt(streamId, version);
  }

  iterate(streamId: StreamId, options?: ReadOptions): AsyncGenerator<RecordedEvent, void, undefined> {
    return this.choose(streamId).iterate(streamId, options);
  }

  // What is asked by event, by job and by age concerns only the job that is played.

  find(eventId: EventId): Promise<RecordedEvent | undefined> {
    return this.added.find(eventId);
  }

  readCorrelation(jobId: JobId, options?: ReadCorrelationOptions): Promise<RecordedEvent[]> {
    return this.added.readCorrelation(jobId, options);
  }

  iterateCorrelation(jobId: JobId, options?: ReadCorrelationOptions): AsyncGenerator<RecordedEvent, void, undefined> {
    return this.added.iterateCorrelation(jobId, options);
  }

  head(streamId: StreamId): Promise<StreamHead | undefined> {
    return this.added.head(streamId);
  }

  openStreams(options: OpenStreamsOptions): Promise<StreamHead[]> {
    return this.added.openStreams(options);
  }

  private choose(streamId: StreamId): Pick<EventLog, 'read' | 'readAt' | 'iterate'> {
    return this.added.streamIds().includes(streamId) ? this.added : this.base;
  }
}

function overlayBlobs(base: Blobs, added: Blobs): Blobs {
  return {
    put: (content) => added.put(content),
    get: async (hash) => (await added.get(hash)) ?? base.get(hash),
    has: async (hashes) => new Set([...(await added.has(hashes)), ...(await base.has(hashes))]),
  };
}
