import type { JobId, StreamId } from '@phaseline/contracts';
import {
  DatabaseUnreachable,
  type AppendOptions,
  type AppendResult,
  type Blobs,
  type EventLog,
  type ReadCorrelationOptions,
  type ReadOptions,
  type RecordedEvent,
  type StreamAppend,
} from '@phaseline/event-store';
import type { MemoryLog } from '@phaseline/harness';
import type { Host } from './host.js';
import type { EventIds } from './event-ids.js';

/** Time for which the real log retries to reach its database. */
const RETRY_FOR_MS = 5_000;
const RETRY_PAUSE_MS = 400;

/** The log as seen by one process: every request has a latency, and an append is retried for a while if the log is unreachable. */
export class ProcessLog implements EventLog {
  readonly blobs: Blobs;

  constructor(
    private readonly log: MemoryLog,
    private readonly host: Host,
    private readonly ids: EventIds,
    private readonly now: () => number,
    private readonly onCommit: (events: readonly RecordedEvent[], wakes: readonly string[]) => void,
  ) {
    const ask = <Result>(what: string, question: () => Promise<Result>): Promise<Result> => this.ask(what, question);
    this.blobs = {
      put: (content) => ask('put blob', () => log.blobs.put(content)),
      get: (hash) => ask('get blob', () => log.blobs.get(hash)),
      has: (hashes) => ask('has blobs', () => log.blobs.has(hashes)),
    };
  }

  async append(appends: StreamAppend | readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult[]> {
    const list = (Array.isArray(appends) ? appends : [appends]) as readonly StreamAppend[];
    const unit = list.map((append) => ({
      ...append,
      events: append.events.map((event) => this.ids.withStableId(event)),
    }));
    const deadline = this.now() + RETRY_FOR_MS;
    for (;;) {
      try {
        return await this.host.call(
          'append',
          `append ${unit.map(({ streamId }) => streamId).join('+')}`,
          () => {
            const before = this.log.events.length;
            const results = this.log.commit(unit, options);
            const written = this.log.events.slice(before);
            if (written.length > 0) {
              const wakes = new Set(unit.filter(({ wake }) => wake).map(({ correlationId }) => correlationId));
              this.onCommit(
                written.map(({ recorded }) => recorded),
                [...wakes],
              );
            }
            return results;
          },
          { needs: 'log' },
        );
      } catch (error) {
        if (!(error instanceof DatabaseUnreachable) || this.now() + RETRY_PAUSE_MS > deadline) throw error;
        await this.host.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  readonly read: EventLog['read'] = (streamId, options) =>
    this.ask(`read ${streamId}`, () => this.log.read(streamId, options));

  readonly readAt: EventLog['readAt'] = (streamId, version) =>
    this.ask(`read ${streamId}`, () => this.log.readAt(streamId, version));

  readonly find: EventLog['find'] = (eventId) => this.ask(`find ${eventId}`, () => this.log.find(eventId));

  readonly readCorrelation: EventLog['readCorrelation'] = (correlationId, options) =>
    this.ask(`read job ${correlationId}`, () => this.log.readCorrelation(correlationId, options));

  async *iterate(streamId: StreamId, options?: ReadOptions): AsyncGenerator<RecordedEvent, void, undefined> {
    yield* await this.read(streamId, options);
  }

  async *iterateCorrelation(
    correlationId: JobId,
    options?: ReadCorrelationOptions,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    yield* await this.readCorrelation(correlationId, options);
  }

  readonly head: EventLog['head'] = (streamId) => this.ask(`head ${streamId}`, () => this.log.head(streamId));

  readonly openStreams: EventLog['openStreams'] = (options) =>
    this.ask('open streams', () => this.log.openStreams(options));

  private ask<Result>(what: string, question: () => Promise<Result>): Promise<Result> {
    return this.host.call('read', what, question, { needs: 'log' });
  }
}
