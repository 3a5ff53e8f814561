import {
  CHAIN_START,
  CorrelationMismatch,
  DuplicateEventId,
  eventHash,
  isStreamEnd,
  canFollow,
  StreamClosed,
  validateUnit,
  WrongExpectedVersion,
  type AppendOptions,
  type AppendResult,
  type CheckEvent,
  type EventLog,
  type HashedEvent,
  type OpenStreamsOptions,
  type ReadCorrelationOptions,
  type ReadOptions,
  type RecordedEvent,
  type StreamAppend,
  type StreamHead,
} from '@phaseline/event-store';
import { toWellFormed, type JsonObject } from '@phaseline/basics';
import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import { ALL_CHECKS, type LogChecks } from './log-checks.js';
import { MemoryBlobs } from './memory-blobs.js';

/** An event with the exact text that its hash covers, as stored in the table of the real log. */
export interface MemoryEvent {
  readonly recorded: RecordedEvent;
  readonly hashed: HashedEvent;
  /** Whether its commit notified the listeners for control events. */
  readonly wakes: boolean;
}

interface MemoryStream {
  readonly streamId: StreamId;
  readonly correlationId: JobId;
  readonly events: MemoryEvent[];
  hash: Buffer;
  closed: boolean;
  updatedAt: number;
}

/**
 * In-memory event log with the semantics of `phaseline.append` (migrations/000002_append.sql): expected versions, closed streams,
 * events allowed after an end, repeated event ids, atomic units, one correlation per stream, and the same hash chain. The contract
 * suite in this folder runs on this log and on PostgreSQL.
 */
export class MemoryLog implements EventLog {
  readonly blobs = new MemoryBlobs();
  /** All events in commit order. */
  readonly events: MemoryEvent[] = [];
  /** When the last event was appended; undefined in an empty log. */
  changedAt: number | undefined;
  private commits = 0;
  private readonly streams = new Map<StreamId, MemoryStream>();
  private readonly byEventId = new Map<EventId, MemoryEvent>();

  constructor(
    private readonly now: () => number,
    private readonly checks: LogChecks = ALL_CHECKS,
    private readonly checkEvent?: CheckEvent,
  ) {}

  async append(appends: StreamAppend | readonly StreamAppend[], options: AppendOptions = {}): Promise<AppendResult[]> {
    return this.commit(appends, options);
  }

  /** Synchronous `append`. */
  commit(appends: StreamAppend | readonly StreamAppend[], { blobs = [] }: AppendOptions = {}): AppendResult[] {
    const unit = { appends: (Array.isArray(appends) ? appends : [appends]) as readonly StreamAppend[], blobs };
    validateUnit(unit);
    this.checkEvents(unit.appends);
    const repeated = this.checks.repeatedEventIds ? this.findRepeated(unit.appends) : undefined;
    if (repeated) return repeated;
    for (const append of unit.appends) this.check(append);
    for (const { hash, content } of unit.blobs) this.blobs.putUnderHash(hash, content);
    const written = this.checks.wholeUnits ? unit.appends : unit.appends.slice(0, 1);
    this.commits += 1;
    return written.map((append) => this.write(append));
  }

  private checkEvents(appends: readonly StreamAppend[]): void {
    if (!this.checkEvent) return;
    for (const { streamId, correlationId, events } of appends)
      for (const { type, schemaVersion, data } of events) {
        const read = JSON.parse(JSON.stringify(toWellFormed(data))) as JsonObject;
        this.checkEvent({ streamId, correlationId, type, schemaVersion, data: read });
      }
  }

  async read(
    streamId: StreamId,
    { from = 1, to = Infinity, limit = Infinity }: ReadOptions = {},
  ): Promise<RecordedEvent[]> {
    const events = this.streams.get(streamId)?.events ?? [];
    return events.slice(Math.max(0, from - 1), Math.min(to, from - 1 + limit)).map(({ recorded }) => recorded);
  }

  async readAt(streamId: StreamId, version: number): Promise<RecordedEvent | undefined> {
    return this.streams.get(streamId)?.events[version - 1]?.recorded;
  }

  async find(eventId: EventId): Promise<RecordedEvent | undefined> {
    return this.byEventId.get(eventId.toLowerCase())?.recorded;
  }

  async readCorrelation(
    correlationId: JobId,
    { after = 0, to = Infinity, types, limit = Infinity }: ReadCorrelationOptions = {},
  ): Promise<RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    for (const { recorded } of this.events) {
      if (found.length >= limit) break;
      if (recorded.correlationId !== correlationId || recorded.position <= after || recorded.position > to) continue;
      if (types === undefined || types.includes(recorded.type)) found.push(recorded);
    }
    return found;
  }

  async *iterate(streamId: StreamId, options?: ReadOptions): AsyncGenerator<RecordedEvent, void, undefined> {
    yield* await this.read(streamId, options);
  }

  async *iterateCorrelation(
    correlationId: JobId,
    options?: ReadCorrelationOptions,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    yield* await this.readCorrelation(correlationId, options);
  }

  async head(streamId: StreamId): Promise<StreamHead | undefined> {
    const stream = this.streams.get(streamId);
    return stream && headOf(stream);
  }

  async openStreams({ prefix = '', idleForMs, limit, after }: OpenStreamsOptions): Promise<StreamHead[]> {
    const idleSince = this.now() - idleForMs;
    return [...this.streams.values()]
      .filter(
        ({ streamId, closed, updatedAt }) =>
          !closed && updatedAt <= idleSince && streamId.startsWith(prefix) && (after === undefined || streamId > after),
      )
      .sort((left, right) => (left.streamId < right.streamId ? -1 : 1))
      .slice(0, limit)
      .map(headOf);
  }

  /** When the stream was last written to; undefined when it does not exist. */
  updatedAt(streamId: StreamId): number | undefined {
    return this.streams.get(streamId)?.updatedAt;
  }

  /** Ids of all streams, in the order of their first events. */
  streamIds(): readonly StreamId[] {
    return [...this.streams.keys()];
  }

  /** Returns the events of a stream with the text that their hashes cover. */
  storedEvents(streamId: StreamId): readonly MemoryEvent[] {
    return this.streams.get(streamId)?.events ?? [];
  }

  /** Returns the results of the first append if all events are in the log; throws if only some are. */
  private findRepeated(appends: readonly StreamAppend[]): AppendResult[] | undefined {
    let found: string | undefined;
    let mismatched: StreamAppend | undefined;
    for (const append of appends) {
      for (const { eventId } of append.events) {
        const known = this.byEventId.get(eventId.toLowerCase());
        if (known) found = eventId.toLowerCase();
        if (known?.recorded.streamId !== append.streamId) mismatched ??= append;
      }
    }
    if (found === undefined) return undefined;
    if (mismatched) throw new DuplicateEventId(mismatched.streamId, found);
    return appends.map(({ events }) => {
      const { recorded } = this.byEventId.get(events.at(-1)!.eventId.toLowerCase())!;
      return resultOf(recorded, true);
    });
  }

  private check({ streamId, correlationId, expectedVersion, reopensStream, events }: StreamAppend): void {
    const stream = this.streams.get(streamId);
    const version = stream?.events.length ?? 0;
    if (stream && stream.correlationId !== correlationId) throw new CorrelationMismatch(streamId, correlationId);
    if (stream?.closed && !reopensStream && this.checks.closedStreams) throw new StreamClosed(streamId, version);
    if (expectedVersion !== 'any' && expectedVersion !== version && this.checks.expectedVersion)
      throw new WrongExpectedVersion(streamId, expectedVersion, version);
    if (!this.checks.closedStreams) return;
    // An open stream has not ended, so its last event restricts nothing.
    let previous = stream?.closed ? stream.events.at(-1)!.recorded.type : undefined;
    for (const { type } of events) {
      if (!canFollow(previous, type)) throw new StreamClosed(streamId, version);
      previous = type;
    }
  }

  private write(append: StreamAppend): AppendResult {
    const { streamId, correlationId, closesStream = false, wake = false } = append;
    const stream = this.streams.get(streamId) ?? this.createStream(streamId, correlationId);
    const recordedAt = new Date(this.now()).toISOString().replace('Z', '000Z');
    for (const event of append.events) {
      const hashed: HashedEvent = {
        streamId,
        version: stream.events.length + 1,
        eventId: event.eventId.toLowerCase(),
        type: event.type,
        schemaVersion: event.schemaVersion,
        recordedAt,
        correlationId,
        data: JSON.stringify(toWellFormed(event.data)),
        metadata: JSON.stringify(toWellFormed(event.metadata)),
      };
      stream.hash = eventHash(this.checks.chain ? stream.hash : CHAIN_START, hashed);
      const position = this.events.length + 1;
      const recorded: RecordedEvent = {
        ...hashed,
        position,
        // Shared by all readers, so it must not change.
        data: deepFreeze(JSON.parse(hashed.data) as JsonObject),
        metadata: deepFreeze(JSON.parse(hashed.metadata) as JsonObject),
        transactionId: String(this.commits),
        hash: stream.hash.toString('hex'),
      };
      const stored: MemoryEvent = { recorded, hashed, wakes: wake };
      stream.events.push(stored);
      this.events.push(stored);
      this.byEventId.set(hashed.eventId, stored);
    }
    stream.closed = closesStream || isStreamEnd(append.events.at(-1)!.type);
    stream.updatedAt = this.now();
    this.changedAt = stream.updatedAt;
    return resultOf(stream.events.at(-1)!.recorded, false);
  }

  private createStream(streamId: StreamId, correlationId: JobId): MemoryStream {
    const stream = { streamId, correlationId, events: [], hash: CHAIN_START, closed: false, updatedAt: this.now() };
    this.streams.set(streamId, stream);
    return stream;
  }
}

function headOf({ streamId, correlationId, events, hash, closed, updatedAt }: MemoryStream): StreamHead {
  return {
    streamId,
    correlationId,
    version: events.length,
    hash: hash.toString('hex'),
    closed,
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

function resultOf(
  { streamId, version, position, hash, recordedAt }: RecordedEvent,
  alreadyDone: boolean,
): AppendResult {
  return { streamId, version, position, hash, recordedAt, alreadyDone };
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
