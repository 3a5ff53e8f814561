import type pg from 'pg';
import { AppendNotFirstWrite } from './append/append-errors.js';
import { appendPatiently } from './append/append-patiently.js';
import { appendBatch } from './append/append-statements.js';
import type { AppendResult, AppendUnit, StreamAppend } from './append/append-types.js';
import { checkJson, type CheckEvent } from './append/check-event.js';
import { encodableUnit, type EncodableUnit } from './append/encode-batch.js';
import { GroupCommit, type GroupCommitOptions } from './append/group-commit.js';
import { validateUnit, verifyBlob } from './append/validate-unit.js';
import { BlobMismatch } from './blobs/blob-errors.js';
import { BlobStore } from './blobs/blob-store.js';
import { PIECE_BYTES } from './blobs/piece.js';
import { mapDatabaseError, sqlState } from './database/database-errors.js';
import { kyselyOver } from './database/kysely.js';
import type { AppendOptions, EventLog } from './event-log.js';
import { EventReader, type ReadCorrelationOptions, type ReadOptions } from './read/event-reader.js';
import type { RecordedEvent } from './read/recorded-event.js';
import { StreamHeads, type OpenStreamsOptions, type StreamHead } from './read/stream-heads.js';
import { JobKeys } from './sealed/job-keys.js';
import { MasterKeys } from './sealed/master-keys.js';
import { sealedCorrelationOf, sealUnit, type Redact } from './sealed/seal-unit.js';
import { SealedBlobs } from './sealed/sealed-blobs.js';
import { MasterKeyMissing } from './sealed/sealed-errors.js';
import { wellFormedJson } from '@phaseline/basics';

/** What it takes to read and write sealed correlations. */
export interface Sealing {
  readonly masterKeys: MasterKeys;
  readonly redact: Redact;
  /** How long the key of a job is kept without asking whether it was erased, in milliseconds; default 3 s. */
  readonly keyKeptMs?: number;
}

export interface EventStoreOptions extends Partial<GroupCommitOptions> {
  /** How long an append goes on trying to reach the database, in milliseconds; default 5 s, 0 for not at all. */
  readonly patienceMs?: number;
  /** Without it, sealed correlations are read as everybody may see them, and cannot be written to. */
  readonly sealing?: Sealing;
  /** Refuses events that could not be read back. Every writer of the product gives one; without it, anything is appended. */
  readonly checkEvent?: CheckEvent;
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
  private readonly keys: JobKeys | undefined;
  private readonly sealing: Sealing | undefined;
  private readonly checkEvent: CheckEvent | undefined;

  constructor(
    private readonly pool: pg.Pool,
    options: EventStoreOptions = {},
  ) {
    const { lanes = LANES, maxUnits = MAX_UNITS, maxBytes = MAX_BYTES, patienceMs = PATIENCE_MS } = options;
    this.sealing = options.sealing;
    this.checkEvent = options.checkEvent;
    this.keys = options.sealing && new JobKeys(pool, options.sealing.masterKeys, options.sealing.keyKeptMs);
    this.blobs = new BlobStore(pool, this.keys);
    this.commits = new GroupCommit((units) => appendPatiently(pool, units, patienceMs), { lanes, maxUnits, maxBytes });
    this.reader = new EventReader(pool, this.blobs, this.keys);
    this.heads = new StreamHeads(kyselyOver(pool));
  }

  /**
   * Appends to one stream or, all or nothing, to several. Calls that are made at the same time share a commit, while
   * each keeps its own outcome. Events that are all in the log already count as appended (`alreadyDone`).
   *
   * Events of a sealed correlation are stored sealed, and blobs that come with them are stored just before, with the other
   * files of the job.
   *
   * Throws WrongExpectedVersion, StreamClosed, DuplicateEventId, CorrelationMismatch, InvalidAppend (UnreadableAppend where
   * `checkEvent` refuses an event), BlobMismatch,
   * DatabaseUnreachable (then it is not known whether it was committed: append the same event ids again), EventStoreClosed;
   * for a sealed correlation also ContentErased, MasterKeyMissing and SealBroken.
   */
  async append(appends: StreamAppend | readonly StreamAppend[], options: AppendOptions = {}): Promise<AppendResult[]> {
    const unit = validUnit(appends, options);
    const sealed = sealedCorrelationOf(unit);
    const encoded = encodableUnit(sealed === undefined ? unit : await this.sealed(unit, sealed), this.checkEvent);
    return this.commits.submit(hasLargeBlobs(encoded) ? await this.withoutLargeBlobs(encoded) : encoded);
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
    const given = validUnit(appends, options);
    const sealed = sealedCorrelationOf(given);
    const encoded = encodableUnit(sealed === undefined ? given : await this.sealed(given, sealed), this.checkEvent);
    const unit = hasLargeBlobs(encoded) ? await this.withoutLargeBlobs(encoded) : encoded;
    try {
      const [outcome] = await appendBatch(client, [unit]);
      if (outcome instanceof Error) throw outcome;
      return [...(outcome ?? [])];
    } catch (error) {
      if (sqlState(error) === NOT_FIRST_WRITE) throw new AppendNotFirstWrite(error);
      throw mapDatabaseError(error);
    }
  }

  /**
   * Destroys the key of a sealed correlation, and its files, in one commit with the event that says so: there is never the
   * one without the other. Done already, it changes nothing. Throws what `append` throws.
   */
  async erase(correlationId: string, append: StreamAppend | undefined): Promise<void> {
    const keys = this.keys ?? new JobKeys(this.pool, MasterKeys.none);
    const client = await this.pool.connect().catch((error: unknown) => {
      throw mapDatabaseError(error);
    });
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      if (append) await this.appendWithin(client, append);
      await keys.erase(client, correlationId);
      await client.query('COMMIT');
    } catch (error) {
      broken = await client.query('ROLLBACK').then(
        () => undefined,
        (cause: unknown) => cause as Error,
      );
      throw mapDatabaseError(error);
    } finally {
      keys.forget(correlationId);
      client.release(broken);
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

  /** The event of this id, as everybody may see it; for whoever derived the id, to learn whether it was recorded. */
  find(eventId: string): Promise<RecordedEvent | undefined> {
    return this.reader.find(eventId);
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

  /** Stores what does not fit into a row just before the append, in pieces: an append takes rows only. */
  private async withoutLargeBlobs({ unit, texts }: EncodableUnit): Promise<EncodableUnit> {
    for (const { hash, content } of unit.blobs) {
      if (content.byteLength <= PIECE_BYTES) continue;
      // What is stored under another name is collected as a stream that broke off.
      const actual = await this.blobs.put(content);
      if (actual !== hash) throw new BlobMismatch(hash, actual);
    }
    return { unit: { ...unit, blobs: unit.blobs.filter(({ content }) => content.byteLength <= PIECE_BYTES) }, texts };
  }

  private async sealed(unit: AppendUnit, correlationId: string): Promise<AppendUnit> {
    const { keys, sealing } = this;
    if (!keys || !sealing) throw new MasterKeyMissing(correlationId);
    // What is stored for everybody to see is checked when it is encoded; this is what the key opens.
    const { checkEvent } = this;
    if (checkEvent)
      for (const append of unit.appends)
        for (const event of append.events) checkJson(checkEvent, append, event, wellFormedJson(event.data));
    const { appends, blobs } = await sealUnit({ ...unit, blobs: [] }, sealing.redact, () =>
      keys.toWrite(correlationId),
    );
    for (const blob of unit.blobs) if (blob.content.byteLength > PIECE_BYTES) verifyBlob(blob);
    if (unit.blobs.length > 0) await new SealedBlobs(this.pool, keys, correlationId).putAll(unit.blobs);
    return { appends, blobs };
  }
}

function validUnit(appends: StreamAppend | readonly StreamAppend[], { blobs = [] }: AppendOptions): AppendUnit {
  const unit: AppendUnit = { appends: isList(appends) ? appends : [appends], blobs };
  validateUnit(unit);
  return unit;
}

function hasLargeBlobs({ unit }: EncodableUnit): boolean {
  return unit.blobs.some(({ content }) => content.byteLength > PIECE_BYTES);
}

function isList(appends: StreamAppend | readonly StreamAppend[]): appends is readonly StreamAppend[] {
  return Array.isArray(appends);
}
