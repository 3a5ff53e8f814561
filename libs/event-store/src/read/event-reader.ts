import type pg from 'pg';
import type { BlobStore } from '../blobs/blob-store.js';
import { mapDatabaseError } from '../database/database-errors.js';
import { wholeEvents } from '../large-text/whole-events.js';
import type { JobKeys } from '../sealed/job-keys.js';
import { openEvents } from '../sealed/open-events.js';
import { EVENT_COLUMNS, recordedEvent, type EventRow, type RecordedEvent } from './recorded-event.js';

export interface ReadOptions {
  /** First version, default 1. */
  readonly from?: number;
  /** Last version, included; default: the newest. So `{ to: n }` is the stream as it was at version n. */
  readonly to?: number;
  readonly limit?: number;
  /**
   * Large texts come whole, as folds need them, or as previews; default whole. What is sealed is opened with `whole`, unless
   * it was erased.
   */
  readonly texts?: 'whole' | 'preview';
}

export interface ReadCorrelationOptions {
  /** Position that has been seen already; default 0. */
  readonly after?: number;
  /** Last position, included; default: the newest. */
  readonly to?: number;
  /** Only events of these types; default: all. */
  readonly types?: readonly string[];
  readonly limit?: number;
  /**
   * Large texts come as previews, or whole at the price of a query for a page that has some; default preview. What is sealed
   * is opened with `whole`, unless it was erased.
   */
  readonly texts?: 'whole' | 'preview';
}

/**
 * Raw pg and not kysely: folding streams is most of what the services read, and statements prepared by name with text
 * rows are twice as fast as built ones.
 */
const READ_STREAM = {
  name: 'phaseline-read-stream',
  text: `SELECT ${EVENT_COLUMNS} FROM phaseline.events
    WHERE stream_id = $1 AND version BETWEEN $2 AND $3 ORDER BY version LIMIT $4`,
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

const asText = { getTypeParser: () => (value: string) => value };
const NEWEST = Number.MAX_SAFE_INTEGER;

/** Reads events of the log in order. Throws DatabaseUnreachable. */
export class EventReader {
  constructor(
    private readonly pool: pg.Pool,
    private readonly blobs: BlobStore,
    /** Of sealed correlations; without them they are read as everybody may see them. */
    private readonly keys?: JobKeys,
  ) {}

  /** Events of one stream in version order; none when the stream does not exist. */
  async read(
    streamId: string,
    { from = 1, to = NEWEST, limit, texts = 'whole' }: ReadOptions = {},
  ): Promise<RecordedEvent[]> {
    const events = await this.query(READ_STREAM, [streamId, from, to, limit ?? null]);
    return texts === 'whole' ? this.whole(events) : events;
  }

  /** The event of this id. Large texts are previews, and what is sealed stays so. */
  async find(eventId: string): Promise<RecordedEvent | undefined> {
    const [event] = await this.query(FIND_EVENT, [eventId]);
    return event;
  }

  /** Events of all streams of one correlation in position order. */
  async readCorrelation(
    correlationId: string,
    { after = 0, to = NEWEST, types, limit, texts = 'preview' }: ReadCorrelationOptions = {},
  ): Promise<RecordedEvent[]> {
    const range = [correlationId, after, to, limit ?? null];
    const events = await (types === undefined
      ? this.query(READ_CORRELATION, range)
      : this.query(READ_CORRELATION_TYPES, [...range, types]));
    return texts === 'whole' ? this.whole(events) : events;
  }

  /** Like `read`, a page at a time, for streams of any length. The newest event is the newest when its page is read. */
  async *iterate(
    streamId: string,
    { from = 1, to = NEWEST, limit = Infinity, texts = 'whole' }: ReadOptions = {},
    pageSize = 500,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    let left = limit;
    for (let next = from; left > 0;) {
      const page = await this.read(streamId, { from: next, to, limit: Math.min(pageSize, left), texts });
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < pageSize) return;
      next = last.version + 1;
      left -= page.length;
    }
  }

  /** Like `readCorrelation`, a page at a time. */
  async *iterateCorrelation(
    correlationId: string,
    { after = 0, limit = Infinity, ...rest }: ReadCorrelationOptions = {},
    pageSize = 500,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    let left = limit;
    for (let next = after; left > 0;) {
      const page = await this.readCorrelation(correlationId, { ...rest, after: next, limit: Math.min(pageSize, left) });
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < pageSize) return;
      next = last.position;
      left -= page.length;
    }
  }

  private async whole(events: RecordedEvent[]): Promise<RecordedEvent[]> {
    const whole = await wholeEvents(this.blobs, events);
    return this.keys ? openEvents(whole, this.keys, this.blobs) : whole;
  }

  private async query(statement: { name: string; text: string }, values: unknown[]): Promise<RecordedEvent[]> {
    try {
      const { rows } = await this.pool.query<string[]>({
        ...statement,
        values,
        rowMode: 'array',
        types: asText as never,
      });
      return (rows as unknown as EventRow[]).map(recordedEvent);
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}
