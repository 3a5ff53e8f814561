import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import type pg from 'pg';
import type { BlobStore } from '../blobs/blob-store.js';
import { AS_TEXT, queryRows } from '../database/query-rows.js';
import { restoreLargeTexts } from '../large-text/restore-large-texts.js';
import type { JobKeys } from '../encryption/job-keys.js';
import { decryptEvents } from '../encryption/decrypt-events.js';
import { GroupReads, type StreamRange } from './group-reads.js';
import { EVENT_COLUMNS, toRecordedEvent, type EventRow, type RecordedEvent } from './recorded-event.js';

export interface ReadOptions {
  /** First version; default 1. */
  readonly from?: number;
  /** Last version, inclusive; default: the newest. `{ to: n }` reads the stream as of version n. */
  readonly to?: number;
  readonly limit?: number;
  /**
   * Whether to restore large texts, which folds need, or return their previews; default whole. `whole` also decrypts encrypted content
   * unless it was erased.
   */
  readonly texts?: 'whole' | 'preview';
}

export interface ReadCorrelationOptions {
  /** Position after which to read; default 0. */
  readonly after?: number;
  /** Last position, inclusive; default: the newest. */
  readonly to?: number;
  /** Event types to read; default: all. */
  readonly types?: readonly string[];
  readonly limit?: number;
  /**
   * Whether to restore large texts, with one more query for a page that has some, or return their previews; default preview. `whole`
   * also decrypts encrypted content unless it was erased.
   */
  readonly texts?: 'whole' | 'preview';
}

/**
 * Uses pg directly instead of Kysely: most reads of the services are folds of streams, and prepared statements with text rows are twice
 * as fast.
 */
const READ_STREAM = {
  name: 'phaseline-read-stream',
  text: `SELECT ${EVENT_COLUMNS} FROM phaseline.events
    WHERE stream_id = $1 AND version BETWEEN $2 AND $3 ORDER BY version LIMIT $4`,
};
/** The column in front of those of the event is the number of the range, from 1. */
const READ_RANGES = {
  name: 'phaseline-read-ranges',
  text: `SELECT r.number, e.*
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS r(stream_id, low, high, size, number)
    CROSS JOIN LATERAL (
      SELECT ${EVENT_COLUMNS} FROM phaseline.events AS e
      WHERE e.stream_id = r.stream_id AND e.version BETWEEN r.low AND r.high ORDER BY e.version LIMIT r.size
    ) AS e ORDER BY r.number, e.version`,
};
const FIND_EVENT = {
  name: 'phaseline-find-event',
  text: `SELECT ${EVENT_COLUMNS} FROM phaseline.events WHERE event_id = $1`,
};
const READ_CORRELATION = {
  name: 'phaseline-read-correlation',
  text: `SELECT ${EVENT_COLUMNS} FROM phaseline.events
    WHERE correlation_id = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4`,
};
const READ_CORRELATION_TYPES = {
  name: 'phaseline-read-correlation-types',
  text: `SELECT ${EVENT_COLUMNS} FROM phaseline.events
    WHERE correlation_id = $1 AND position > $2 AND position <= $3 AND type = ANY ($5) ORDER BY position LIMIT $4`,
};

const NEWEST = Number.MAX_SAFE_INTEGER;
/** Events per query of an iteration. */
const PAGE_EVENTS = 500;
const GROUP = { lanes: 2, maxRanges: 64 };

/** Reads events from the log in order. Throws DatabaseUnreachable. */
export class EventReader {
  /** Reads of the events that are newer than a cached state: short, and as frequent as appends. */
  private readonly newer = new GroupReads((ranges) => this.queryRanges(ranges), GROUP);

  constructor(
    private readonly pool: pg.Pool,
    private readonly blobs: BlobStore,
    /** Keys of encrypted correlations. Without them, such correlations are read in redacted form. */
    private readonly keys?: JobKeys,
  ) {}

  /** Reads the events of a stream in version order; empty if the stream does not exist. */
  async read(
    streamId: StreamId,
    { from = 1, to = NEWEST, limit, texts = 'whole' }: ReadOptions = {},
  ): Promise<RecordedEvent[]> {
    const events =
      from > 1 && to === NEWEST && limit !== undefined
        ? await this.newer.read({ streamId, from, to, limit })
        : await this.query(READ_STREAM, [streamId, from, to, limit ?? null]);
    return texts === 'whole' ? this.restoreContent(events) : events;
  }

  /** Finds an event by id. Large texts are returned as previews, and encrypted content stays redacted. */
  async find(eventId: EventId): Promise<RecordedEvent | undefined> {
    const [event] = await this.query(FIND_EVENT, [eventId]);
    return event;
  }

  /** Reads the events of all streams of a correlation in position order. */
  async readCorrelation(
    correlationId: JobId,
    { after = 0, to = NEWEST, types, limit, texts = 'preview' }: ReadCorrelationOptions = {},
  ): Promise<RecordedEvent[]> {
    const range = [correlationId, after, to, limit ?? null];
    const events = await (types === undefined
      ? this.query(READ_CORRELATION, range)
      : this.query(READ_CORRELATION_TYPES, [...range, types]));
    return texts === 'whole' ? this.restoreContent(events) : events;
  }

  /** Like `read`, but fetches one page at a time, for streams of any length. Includes events appended while it runs. */
  iterate(
    streamId: StreamId,
    { from = 1, limit = Infinity, ...rest }: ReadOptions = {},
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    return readPages(limit, (events, last) =>
      this.read(streamId, { ...rest, from: last ? last.version + 1 : from, limit: events }),
    );
  }

  /** Like `readCorrelation`, but fetches one page at a time. */
  iterateCorrelation(
    correlationId: JobId,
    { after = 0, limit = Infinity, ...rest }: ReadCorrelationOptions = {},
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    return readPages(limit, (events, last) =>
      this.readCorrelation(correlationId, { ...rest, after: last?.position ?? after, limit: events }),
    );
  }

  private async restoreContent(events: RecordedEvent[]): Promise<RecordedEvent[]> {
    const whole = await restoreLargeTexts(this.blobs, events);
    return this.keys ? decryptEvents(whole, this.keys, this.blobs) : whole;
  }

  private async queryRanges(ranges: readonly StreamRange[]): Promise<RecordedEvent[][]> {
    const [first] = ranges;
    if (first && ranges.length === 1)
      return [await this.query(READ_STREAM, [first.streamId, first.from, first.to, first.limit])];
    const query = {
      ...READ_RANGES,
      values: [
        ranges.map(({ streamId }) => streamId),
        ranges.map(({ from }) => from),
        ranges.map(({ to }) => to),
        ranges.map(({ limit }) => limit),
      ],
      rowMode: 'array',
      types: AS_TEXT,
    };
    const events: RecordedEvent[][] = ranges.map(() => []);
    // Rows in array mode are tuples in the order of the selected columns.
    for (const [number, ...row] of await queryRows<[string, ...EventRow]>(this.pool, query))
      events[Number(number) - 1]!.push(toRecordedEvent(row));
    return events;
  }

  private async query(statement: { name: string; text: string }, values: unknown[]): Promise<RecordedEvent[]> {
    const query = { ...statement, values, rowMode: 'array', types: AS_TEXT };
    // Rows in array mode are tuples in the order of the selected columns.
    return (await queryRows<EventRow>(this.pool, query)).map(toRecordedEvent);
  }
}

/** Yields up to `limit` events. `readPage` reads a number of events after the last one of the previous page. */
async function* readPages(
  limit: number,
  readPage: (events: number, last: RecordedEvent | undefined) => Promise<RecordedEvent[]>,
): AsyncGenerator<RecordedEvent, void, undefined> {
  let last: RecordedEvent | undefined;
  for (let left = limit; left > 0;) {
    const page = await readPage(Math.min(PAGE_EVENTS, left), last);
    yield* page;
    if (page.length < PAGE_EVENTS) return;
    last = page.at(-1);
    left -= page.length;
  }
}
