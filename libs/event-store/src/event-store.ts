import type pg from 'pg';
import { AppendNotFirstWrite } from './append/append-errors.js';
import { appendWithRetries } from './append/append-with-retries.js';
import { appendBatch } from './append/append-statements.js';
import type { AppendResult, AppendUnit, StreamAppend } from './append/append-types.js';
import { checkJson, type CheckEvent } from './append/check-event.js';
import { encodeUnit, type EncodedUnit } from './append/encode-batch.js';
import { GroupCommit, type GroupCommitOptions } from './append/group-commit.js';
import { validateUnit, verifyBlob } from './append/validate-unit.js';
import { BlobMismatch } from './blobs/blob-errors.js';
import { BlobStore } from './blobs/blob-store.js';
import { PIECE_BYTES } from './blobs/piece.js';
import type { ColdStorage } from './cold/cold-storage.js';
import { mapDatabaseError, sqlState } from './database/database-errors.js';
import { runInTransaction } from './database/transaction.js';
import { createKysely } from './database/kysely.js';
import type { AppendOptions, EventLog } from './event-log.js';
import { EventReader, type ReadCorrelationOptions, type ReadOptions } from './read/event-reader.js';
import { PageReader, type EventContent } from './read/page-reader.js';
import type { RecordedEvent } from './read/recorded-event.js';
import { StreamHeads, type OpenStreamsOptions, type StreamHead } from './read/stream-heads.js';
import { JobKeys } from './encryption/job-keys.js';
import { MasterKeys } from './encryption/master-keys.js';
import { findEncryptedCorrelation, encryptUnit, type Redact } from './encryption/encrypt-unit.js';
import { EncryptedBlobs } from './encryption/encrypted-blobs.js';
import { MasterKeyMissing } from './encryption/encryption-errors.js';
import { toWellFormedJson } from '@phaseline/basics';
import type { EventId, JobId, StreamId } from '@phaseline/contracts';

/** Configuration to read and write encrypted correlations. */
export interface EncryptionOptions {
  readonly masterKeys: MasterKeys;
  readonly redact: Redact;
  /** How long the key of a job is cached before the store checks again whether it was erased, in milliseconds; default 3 s. */
  readonly keyCacheMs?: number;
}

export interface EventStoreOptions extends Partial<GroupCommitOptions> {
  /** How long an append retries while the database is unreachable, in milliseconds; default 5 s, 0 to not retry. */
  readonly unreachableRetryMs?: number;
  /** Pause in milliseconds after which an append is announced, for specs; default 1 s, Infinity for never. */
  readonly announceAfterMs?: number;
  /** Without it, encrypted correlations are read in redacted form and cannot be appended to. */
  readonly encryption?: EncryptionOptions;
  /** Without it, events in cold storage cannot be read: reading them throws ColdStorageNotConfigured. */
  readonly cold?: ColdStorage | undefined;
  /** Rejects events that could not be read back. All services set it; without it, any event is appended. */
  readonly checkEvent?: CheckEvent;
}

/** The second lane is used while the first waits for a lock or the disk, and by half of the appends that wait together. */
const LANES = 2;
const MIN_UNITS_PER_COMMIT = 4;
/** Keeps a commit at about ten milliseconds; more units per commit are not faster. */
const MAX_UNITS_PER_COMMIT = 128;
const MAX_BYTES_PER_COMMIT = 4 * 1024 * 1024;
/** Longer than a restart of PostgreSQL takes, so that a restart does not lose paid model responses. */
const UNREACHABLE_RETRY_MS = 5_000;

/**
 * After this pause an append is announced even if it is no control event, because readers may have stopped polling the log. Shorter than
 * the time after which they do (tail-rounds.ts) by more than an event takes to reach them.
 */
const ANNOUNCE_AFTER_MS = 1_000;

/** Error code of phaseline.append if its transaction has already written (migrations/000002_append.sql). */
const NOT_FIRST_WRITE = 'PL002';

/**
 * The event log on PostgreSQL. One instance per process is enough. The caller owns the pool.
 *
 * ```ts
 * const store = new EventStore(createPool(url));
 * const [result] = await store.append({ streamId: 'job-1', correlationId: '1', expectedVersion: 0, events: [event] });
 * const events = await store.read('job-1');
 * ```
 */
export class EventStore implements EventLog {
  readonly blobs: BlobStore;
  /** Where the events of moved jobs are, if this process knows it. */
  readonly cold: ColdStorage | undefined;
  private readonly commits: GroupCommit;
  private readonly reader: EventReader;
  private readonly pages: PageReader;
  private readonly heads: StreamHeads;
  private readonly keys: JobKeys | undefined;
  private readonly encryption: EncryptionOptions | undefined;
  private readonly checkEvent: CheckEvent | undefined;
  private readonly announceAfterMs: number;
  /** When the last append succeeded, by `performance.now()`. */
  private appendedAt = -Infinity;

  constructor(
    private readonly pool: pg.Pool,
    options: EventStoreOptions = {},
  ) {
    const { lanes = LANES, minUnits = MIN_UNITS_PER_COMMIT, maxUnits = MAX_UNITS_PER_COMMIT } = options;
    const { maxBytes = MAX_BYTES_PER_COMMIT } = options;
    const { unreachableRetryMs = UNREACHABLE_RETRY_MS } = options;
    this.announceAfterMs = options.announceAfterMs ?? ANNOUNCE_AFTER_MS;
    this.encryption = options.encryption;
    this.checkEvent = options.checkEvent;
    this.cold = options.cold;
    this.keys = options.encryption && new JobKeys(pool, options.encryption.masterKeys, options.encryption.keyCacheMs);
    this.blobs = new BlobStore(pool, this.keys);
    this.commits = new GroupCommit((units) => appendWithRetries(pool, units, unreachableRetryMs), {
      lanes,
      minUnits,
      maxUnits,
      maxBytes,
    });
    this.reader = new EventReader(pool, this.blobs, this.keys, options.cold);
    this.pages = new PageReader(pool, this.blobs, this.reader);
    this.heads = new StreamHeads(createKysely(pool));
  }

  /**
   * Appends to one stream, or atomically to several. Concurrent calls share a commit, but each has its own outcome. If all events are
   * already in the log, the append succeeds without effect (`alreadyDone`). The first append after a second without any is announced like
   * a control event.
   *
   * Events of an encrypted correlation are encrypted, and their blobs are stored just before, with the other files of the job.
   *
   * Throws WrongExpectedVersion, StreamClosed, DuplicateEventId, CorrelationMismatch, InvalidAppend (UnreadableAppend if
   * `checkEvent` rejects an event), BlobMismatch, DatabaseUnreachable (it is then unknown whether the append was committed: repeat it
   * with the same event ids) and EventStoreClosed; for an encrypted correlation also ContentErased, MasterKeyMissing and DecryptionFailed.
   */
  async append(appends: StreamAppend | readonly StreamAppend[], options: AppendOptions = {}): Promise<AppendResult[]> {
    const unit = this.announceAfterPause(createUnit(appends, options));
    const encrypted = findEncryptedCorrelation(unit);
    const encoded = encodeUnit(encrypted === undefined ? unit : await this.encrypt(unit, encrypted), this.checkEvent);
    const results = await this.commits.submit(hasLargeBlobs(encoded) ? await this.storeLargeBlobs(encoded) : encoded);
    // Not before: readers do not notice an append that was rejected.
    this.appendedAt = performance.now();
    return results;
  }

  /**
   * Appends in a transaction of the caller, to commit other writes together with the events. It must be the first write of that
   * transaction (otherwise it throws AppendNotFirstWrite). Until the transaction ends, it blocks all other appends to the same
   * correlation and those that share their commit, so keep it short.
   */
  async appendWithin(
    client: pg.ClientBase,
    appends: StreamAppend | readonly StreamAppend[],
    options: AppendOptions = {},
  ): Promise<AppendResult[]> {
    const unit = createUnit(appends, options);
    const encrypted = findEncryptedCorrelation(unit);
    const encoded = encodeUnit(encrypted === undefined ? unit : await this.encrypt(unit, encrypted), this.checkEvent);
    const encodedRows = hasLargeBlobs(encoded) ? await this.storeLargeBlobs(encoded) : encoded;
    try {
      const [outcome] = await appendBatch(client, [encodedRows]);
      if (outcome instanceof Error) throw outcome;
      return [...(outcome ?? [])];
    } catch (error) {
      if (sqlState(error) === NOT_FIRST_WRITE) throw new AppendNotFirstWrite(error);
      throw mapDatabaseError(error);
    }
  }

  /**
   * Destroys the key and the files of an encrypted correlation, and appends the event that records this, in one commit. Has no effect if
   * already erased. Throws the errors of `append`.
   */
  async erase(correlationId: JobId, append: StreamAppend | undefined): Promise<void> {
    const keys = this.keys ?? new JobKeys(this.pool, MasterKeys.none);
    try {
      await runInTransaction(this.pool, async (client) => {
        if (append) await this.appendWithin(client, append);
        await keys.erase(client, correlationId);
      });
    } finally {
      keys.forget(correlationId);
    }
  }

  /** Reads the events of a stream in version order; empty if it does not exist. `{ to: n }` reads the stream as of version n. */
  read(streamId: StreamId, options?: ReadOptions): Promise<RecordedEvent[]> {
    return this.reader.read(streamId, options);
  }

  /** Reads the event at one version of a stream. */
  async readAt(streamId: StreamId, version: number): Promise<RecordedEvent | undefined> {
    const [event] = await this.reader.read(streamId, { from: version, to: version });
    return event;
  }

  /** Finds an event by id, with previews of large texts and redacted. Use it to check whether an event with a derived id was recorded. */
  find(eventId: EventId): Promise<RecordedEvent | undefined> {
    return this.reader.find(eventId);
  }

  /** Reads the events of all streams of a correlation (a job) in position order. */
  readCorrelation(correlationId: JobId, options?: ReadCorrelationOptions): Promise<RecordedEvent[]> {
    return this.reader.readCorrelation(correlationId, options);
  }

  /** Like `read`, but fetches one page at a time. */
  iterate(streamId: StreamId, options?: ReadOptions): AsyncGenerator<RecordedEvent, void, undefined> {
    return this.reader.iterate(streamId, options);
  }

  /** Like `iterate`, but yields pages, with only what folds read of each event. Reads the next page while the caller handles one. */
  iteratePages(
    streamId: StreamId,
    options?: Pick<ReadOptions, 'from' | 'to'>,
  ): AsyncGenerator<readonly EventContent[], void, undefined> {
    return this.pages.iterate(streamId, options);
  }

  /** Like `readCorrelation`, but fetches one page at a time. */
  iterateCorrelation(
    correlationId: JobId,
    options?: ReadCorrelationOptions,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    return this.reader.iterateCorrelation(correlationId, options);
  }

  /** Reads the head of a stream; undefined if it does not exist. */
  head(streamId: StreamId): Promise<StreamHead | undefined> {
    return this.heads.head(streamId);
  }

  /** Lists open streams without recent events, sorted by id. Use `after` for the next page. */
  openStreams(options: OpenStreamsOptions): Promise<StreamHead[]> {
    return this.heads.openStreams(options);
  }

  /** Rejects new appends and resolves when all earlier ones have completed. Reading stays possible; the pool stays open. */
  close(): Promise<void> {
    return this.commits.close();
  }

  /** Announces the first append after a pause, so that readers need not poll for it. */
  private announceAfterPause(unit: AppendUnit): AppendUnit {
    const [first, ...others] = unit.appends;
    if (first === undefined || performance.now() - this.appendedAt <= this.announceAfterMs) return unit;
    return { ...unit, appends: [{ ...first, wake: true }, ...others] };
  }

  /** Stores blobs larger than a row in pieces, and returns the unit without them. phaseline.append accepts only single rows. */
  private async storeLargeBlobs({ unit, texts }: EncodedUnit): Promise<EncodedUnit> {
    for (const { hash, content } of unit.blobs) {
      if (content.byteLength <= PIECE_BYTES) continue;
      // If the hash differs, the stored pieces are unreferenced and will be collected.
      const actual = await this.blobs.put(content);
      if (actual !== hash) throw new BlobMismatch(hash, actual);
    }
    return { unit: { ...unit, blobs: unit.blobs.filter(({ content }) => content.byteLength <= PIECE_BYTES) }, texts };
  }

  private async encrypt(unit: AppendUnit, correlationId: JobId): Promise<AppendUnit> {
    const { keys, encryption } = this;
    if (!keys || !encryption) throw new MasterKeyMissing(correlationId);
    // Check the plain data here; the redacted form is checked when the unit is encoded.
    const { checkEvent } = this;
    if (checkEvent)
      for (const append of unit.appends)
        for (const event of append.events) checkJson(checkEvent, append, event, toWellFormedJson(event.data));
    const { appends, blobs } = await encryptUnit({ ...unit, blobs: [] }, encryption.redact, () =>
      keys.getForWriting(correlationId),
    );
    for (const blob of unit.blobs) if (blob.content.byteLength > PIECE_BYTES) verifyBlob(blob);
    if (unit.blobs.length > 0) await new EncryptedBlobs(this.pool, keys, correlationId).putAll(unit.blobs);
    return { appends, blobs };
  }
}

function createUnit(appends: StreamAppend | readonly StreamAppend[], { blobs = [] }: AppendOptions): AppendUnit {
  const unit: AppendUnit = { appends: isList(appends) ? appends : [appends], blobs };
  validateUnit(unit);
  return unit;
}

function hasLargeBlobs({ unit }: EncodedUnit): boolean {
  return unit.blobs.some(({ content }) => content.byteLength > PIECE_BYTES);
}

function isList(appends: StreamAppend | readonly StreamAppend[]): appends is readonly StreamAppend[] {
  return Array.isArray(appends);
}
