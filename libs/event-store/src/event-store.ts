import type pg from 'pg';
import { AppendNotFirstWrite } from './append/append-errors.js';
import { appendPatiently } from './append/append-patiently.js';
import { appendBatch } from './append/append-statements.js';
import type { AppendResult, AppendUnit, StreamAppend } from './append/append-types.js';
import { encodableUnit } from './append/encode-batch.js';
import { GroupCommit, type GroupCommitOptions } from './append/group-commit.js';
import { validateUnit } from './append/validate-unit.js';
import { BlobStore } from './blobs/blob-store.js';
import { mapDatabaseError, sqlState } from './database/database-errors.js';
import { kyselyOver } from './database/kysely.js';
import type { AppendOptions, EventLog } from './event-log.js';
import { EventReader, type ReadCorrelationOptions, type ReadOptions } from './read/event-reader.js';
import type { RecordedEvent } from './read/recorded-event.js';
import { StreamHeads, type OpenStreamsOptions, type StreamHead } from './read/stream-heads.js';

export interface EventStoreOptions extends Partial<GroupCommitOptions> {
  /** How long an append goes on trying to reach the database, in milliseconds; default 5 s, 0 for not at all. */
  readonly patienceMs?: number;
}

/** One to four measured alike at 1 to 32 writers. The second is for when the first waits for somebody else's lock. */
const LANES = 2;
/** Keeps a commit to some ten milliseconds, and below that more units measured no faster. */
const MAX_UNITS = 128;
const MAX_BYTES = 4 * 1024 * 1024;
/** Longer than a restart of PostgreSQL takes, so that the answer of a model that cost money is not thrown away for one. */
const PATIENCE_MS = 5_000;

/** What phaseline.append says when its transaction has written already (migrations/000002_append.sql). */
const NOT_FIRST_WRITE = 'PL002';

/**
 * The event log. All that a process does with it can go through one instance; the pool stays the caller's.
 *
 * ```ts
 * const store = new EventStore(createPool(url));
 * const [result] = await store.append({ streamId: 'job-1', correlationId: '1', expectedVersion: 0, events: [event] });
 * const events = await store.read('job-1');
 * ```
 */
export class EventStore implements EventLog {
  readonly blobs: BlobStore;
  private readonly commits: GroupCommit;
  private readonly reader: EventReader;
  private readonly heads: StreamHeads;

  constructor(pool: pg.Pool, options: EventStoreOptions = {}) {
    const { lanes = LANES, maxUnits = MAX_UNITS, maxBytes = MAX_BYTES, patienceMs = PATIENCE_MS } = options;
    this.blobs = new BlobStore(pool);
    this.commits = new GroupCommit((units) => appendPatiently(pool, units, patienceMs), { lanes, maxUnits, maxBytes });
    this.reader = new EventReader(pool, this.blobs);
    this.heads = new StreamHeads(kyselyOver(pool));
  }

  /**
   * Appends to one stream or, all or nothing, to several. Calls that are made at the same time share a commit, while
   * each keeps its own outcome. Events that are all in the log already count as appended (`alreadyDone`).
   *
   * Throws WrongExpectedVersion, StreamClosed, DuplicateEventId, CorrelationMismatch, InvalidAppend, BlobMismatch,
   * DatabaseUnreachable (then it is not known whether it was committed: append the same event ids again), EventStoreClosed.
   */
  async append(appends: StreamAppend | readonly StreamAppend[], options: AppendOptions = {}): Promise<AppendResult[]> {
    return this.commits.submit(validUnit(appends, options));
  }

  /**
   * Appends in a transaction of the caller, for what has to be committed together with it. It must be the first write
   * of that transaction (else AppendNotFirstWrite), and until the transaction ends all other appends to the same
   * correlation wait for it, and with them whatever shares their commit: keep it short.
   */
  async appendWithin(
    client: pg.ClientBase,
    appends: StreamAppend | readonly StreamAppend[],
    options: AppendOptions = {},
  ): Promise<AppendResult[]> {
    const unit = validUnit(appends, options);
    try {
      const [outcome] = await appendBatch(client, [encodableUnit(unit)]);
      if (outcome instanceof Error) throw outcome;
      return [...(outcome ?? [])];
    } catch (error) {
      if (sqlState(error) === NOT_FIRST_WRITE) throw new AppendNotFirstWrite(error);
      throw mapDatabaseError(error);
    }
  }

  /** Events of one stream in version order; none when it does not exist. `{ to: n }` is the stream as of version n. */
  read(streamId: string, options?: ReadOptions): Promise<RecordedEvent[]> {
    return this.reader.read(streamId, options);
  }

  /** The event at one version of a stream. */
  async readAt(streamId: string, version: number): Promise<RecordedEvent | undefined> {
    const [event] = await this.reader.read(streamId, { from: version, to: version });
    return event;
  }

  /** Events of all streams of a correlation in position order: of one job. */
  readCorrelation(correlationId: string, options?: ReadCorrelationOptions): Promise<RecordedEvent[]> {
    return this.reader.readCorrelation(correlationId, options);
  }

  /** `read`, a page at a time. */
  iterate(streamId: string, options?: ReadOptions): AsyncGenerator<RecordedEvent, void, undefined> {
    return this.reader.iterate(streamId, options);
  }

  /** `readCorrelation`, a page at a time. */
  iterateCorrelation(
    correlationId: string,
    options?: ReadCorrelationOptions,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    return this.reader.iterateCorrelation(correlationId, options);
  }

  /** Where a stream stands; undefined when it does not exist. */
  head(streamId: string): Promise<StreamHead | undefined> {
    return this.heads.head(streamId);
  }

  /** Streams that are not closed and that nobody has written to for a while, by id, a page at a time (`after`). */
  openStreams(options: OpenStreamsOptions): Promise<StreamHead[]> {
    return this.heads.openStreams(options);
  }

  /** Takes no more appends and resolves when those under way are answered. Reading stays possible; the pool stays open. */
  close(): Promise<void> {
    return this.commits.close();
  }
}

function validUnit(appends: StreamAppend | readonly StreamAppend[], { blobs = [] }: AppendOptions): AppendUnit {
  const unit: AppendUnit = { appends: isList(appends) ? appends : [appends], blobs };
  validateUnit(unit);
  return unit;
}

function isList(appends: StreamAppend | readonly StreamAppend[]): appends is readonly StreamAppend[] {
  return Array.isArray(appends);
}
