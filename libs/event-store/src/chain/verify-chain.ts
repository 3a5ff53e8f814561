import type pg from 'pg';
import { isoMicros } from '../database/iso-micros.js';
import { mapDatabaseError } from '../database/database-errors.js';
import type { ChainProblem } from './chain-problem.js';
import { StreamCheck, type StoredEvent, type StoredHead } from './stream-check.js';

export interface VerifyChainOptions {
  /** Only the streams of one correlation (one job); default: all. */
  readonly correlationId?: string;
  /** Called after every page and at the end. */
  readonly onProgress?: (progress: {
    readonly events: number;
    readonly streams: number;
    readonly problems: number;
  }) => void;
  readonly onProblem?: (problem: ChainProblem) => void;
  /** Ends it early, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Events a page; default 1,000, of which two are in memory at once. */
  readonly pageSize?: number;
}

export interface ChainReport {
  readonly events: number;
  readonly streams: number;
  /** The first 1,000; `problemCount` counts all. */
  readonly problems: readonly ChainProblem[];
  readonly problemCount: number;
}

const PAGE_SIZE = 1_000;
const MOST_PROBLEMS_KEPT = 1_000;
const HEADS_PAGE = 5_000;

const asText = { getTypeParser: () => (value: string) => value };

/**
 * Recomputes the hash of every event from the stored rows, and compares: each hash with the stored one, the versions
 * of each stream with 1, 2, 3, …, and the last event with the row in `streams`. All within one snapshot, so appends that
 * go on meanwhile do not disturb it, and it does not disturb them. One connection of the pool is used.
 *
 * It finds what was changed in the rows. Someone who recomputes a whole stream and its head leaves no trace here; against
 * that, keep the head hashes elsewhere.
 */
export async function verifyChain(pool: pg.Pool, options: VerifyChainOptions = {}): Promise<ChainReport> {
  try {
    const client = await pool.connect();
    try {
      // Without an id of its own (READ ONLY), the transaction does not hold back the tails of the log.
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      return await new ChainVerification(client, options).run();
    } finally {
      await client.query('ROLLBACK').then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
    }
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

class ChainVerification {
  private events = 0;
  private streams = 0;
  private problemCount = 0;
  private readonly problems: ChainProblem[] = [];
  private readonly pageSize: number;
  private check: { readonly streamId: string; readonly of: StreamCheck } | undefined;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly options: VerifyChainOptions,
  ) {
    this.pageSize = options.pageSize ?? PAGE_SIZE;
  }

  /** Heads a page at a time, and for each page all events up to its last stream: also those of streams without a head. */
  async run(): Promise<ChainReport> {
    for (let after = ''; ;) {
      const heads = await this.readHeads(after);
      const lastHead = [...heads.keys()].at(-1);
      await this.checkEvents(after, heads.size === HEADS_PAGE ? lastHead : undefined, heads);
      for (const [streamId, head] of heads) {
        this.streams += 1;
        this.checkOf(streamId).end(head);
      }
      if (heads.size < HEADS_PAGE || lastHead === undefined) break;
      after = lastHead;
    }
    this.progress();
    const { events, streams, problems, problemCount } = this;
    return { events, streams, problems, problemCount };
  }

  private async checkEvents(
    afterStream: string,
    lastStream: string | undefined,
    heads: Map<string, StoredHead>,
  ): Promise<void> {
    // The next page is on its way while this one is hashed.
    let coming = this.readEvents(afterStream, Number.MAX_SAFE_INTEGER, lastStream);
    for (;;) {
      const page = await coming;
      const last = page.at(-1);
      const more = last && page.length === this.pageSize;
      if (more) {
        coming = this.readEvents(last.streamId, last.version, lastStream);
        // Should this page end the run, nobody will wait for the next one.
        coming.catch(() => undefined);
      }
      this.options.signal?.throwIfAborted();
      for (const event of page) this.checkEvent(event, heads);
      this.events += page.length;
      this.progress();
      if (!more) break;
    }
    this.endCheck(heads);
  }

  private checkEvent(event: StoredEvent, heads: Map<string, StoredHead>): void {
    if (this.check?.streamId !== event.streamId) {
      this.endCheck(heads);
      this.check = { streamId: event.streamId, of: this.checkOf(event.streamId) };
    }
    this.check.of.next(event);
  }

  private endCheck(heads: Map<string, StoredHead>): void {
    if (!this.check) return;
    const { streamId, of } = this.check;
    of.end(heads.get(streamId));
    this.streams += 1;
    // What is left in the map at the end are heads without events.
    heads.delete(streamId);
    this.check = undefined;
  }

  private checkOf(streamId: string): StreamCheck {
    return new StreamCheck(streamId, (problem) => {
      this.problemCount += 1;
      if (this.problems.length < MOST_PROBLEMS_KEPT) this.problems.push(problem);
      this.options.onProblem?.(problem);
    });
  }

  private async readHeads(after: string): Promise<Map<string, StoredHead>> {
    const { rows } = await this.client.query<[string, string, string]>({
      text: `SELECT stream_id, version, hash FROM phaseline.streams
        WHERE stream_id > $1 AND ($2::text IS NULL OR correlation_id = $2) ORDER BY stream_id LIMIT ${HEADS_PAGE}`,
      values: [after, this.options.correlationId ?? null],
      rowMode: 'array',
      types: asText as never,
    });
    return new Map(
      rows.map(([streamId, version, hash]) => [streamId, { version: Number(version), hash: bytesOf(hash) }]),
    );
  }

  private async readEvents(stream: string, version: number, lastStream: string | undefined): Promise<StoredEvent[]> {
    const values: unknown[] = [stream, version, this.pageSize];
    const conditions = ['(stream_id, version) > ($1, $2)'];
    if (lastStream !== undefined) conditions.push(`stream_id <= $${values.push(lastStream)}`);
    if (this.options.correlationId !== undefined)
      conditions.push(`correlation_id = $${values.push(this.options.correlationId)}`);
    const { rows } = await this.client.query<string[]>({
      text: `SELECT stream_id, version, event_id, type, schema_version, recorded_at, correlation_id, data, metadata, position, hash
        FROM phaseline.events WHERE ${conditions.join(' AND ')} ORDER BY stream_id, version LIMIT $3`,
      values,
      rowMode: 'array',
      types: asText as never,
    });
    return (rows as unknown as EventColumns[]).map(storedEvent);
  }

  private progress(): void {
    this.options.onProgress?.({ events: this.events, streams: this.streams, problems: this.problemCount });
  }
}

type EventColumns = readonly [string, string, string, string, string, string, string, string, string, string, string];

function storedEvent(row: EventColumns): StoredEvent {
  return {
    streamId: row[0],
    version: Number(row[1]),
    eventId: row[2],
    type: row[3],
    schemaVersion: Number(row[4]),
    recordedAt: isoMicros(row[5]),
    correlationId: row[6],
    data: row[7],
    metadata: row[8],
    position: Number(row[9]),
    hash: bytesOf(row[10]),
  };
}

/** `\x…` */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
