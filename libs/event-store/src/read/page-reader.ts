import type { JsonObject } from '@phaseline/basics';
import type { StreamId } from '@phaseline/contracts';
import type pg from 'pg';
import type { BlobStore } from '../blobs/blob-store.js';
import { AS_TEXT, queryRows } from '../database/query-rows.js';
import { ENCRYPTED_DATA_KEY } from '../encryption/encrypt-unit.js';
import { restoreLargeTexts } from '../large-text/restore-large-texts.js';
import type { EventReader, ReadOptions } from './event-reader.js';
import type { RecordedEvent } from './recorded-event.js';

/** The part of a recorded event that folds read. */
export type EventContent = Pick<RecordedEvent, 'streamId' | 'version' | 'type' | 'schemaVersion' | 'data'>;

/** Events per page. A fold holds the events of one page, and the socket the rows of the next one. */
const PAGE_EVENTS = 1_000;
const NEWEST = Number.MAX_SAFE_INTEGER;

/**
 * Only these columns, because PostgreSQL takes half of its time to write the others as text. If the stream is in cold storage, the last row
 * has no version.
 */
const READ_CONTENT = {
  name: 'phaseline-read-content',
  text: `(SELECT version, type, schema_version, data, metadata FROM phaseline.events
    WHERE stream_id = $1 AND version BETWEEN $2 AND $3 ORDER BY version LIMIT ${PAGE_EVENTS})
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL FROM phaseline.cold_streams WHERE stream_id = $1`,
};

/** A row of READ_CONTENT as unparsed text. */
type ContentRow = readonly [version: string, type: string, schemaVersion: string, data: string, metadata: string];
type MovedRow = readonly [version: null];

/** Reads streams for folds: only what a fold reads of each event, and the next page while the fold handles the one before. */
export class PageReader {
  constructor(
    private readonly pool: pg.Pool,
    private readonly blobs: BlobStore,
    private readonly reader: Pick<EventReader, 'read'>,
  ) {}

  /** Yields the pages of a stream in version order; none for a stream without such events. Throws what `EventReader.read` throws. */
  async *iterate(
    streamId: StreamId,
    { from = 1, to = NEWEST }: Pick<ReadOptions, 'from' | 'to'> = {},
  ): AsyncGenerator<readonly EventContent[], void, undefined> {
    let next = from;
    let reading = this.query(streamId, next, to);
    for (;;) {
      const rows = await reading;
      // Also if its job moved after the previous page was read.
      if (!rows) return yield* this.iterateMoved(streamId, next, to);
      const [first, last] = [rows[0], rows.at(-1)];
      if (!first || !last) return;
      if (rows.length === PAGE_EVENTS) {
        next = Number(last[0]) + 1;
        reading = this.query(streamId, next, to);
        // If the caller needs no further page, nothing waits for this one.
        reading.catch(() => undefined);
      }
      yield await this.toPage(streamId, rows, Number(first[0]), Number(last[0]));
      if (rows.length < PAGE_EVENTS) return;
    }
  }

  private async *iterateMoved(
    streamId: StreamId,
    from: number,
    to: number,
  ): AsyncGenerator<readonly EventContent[], void, undefined> {
    for (let next = from; ; next += PAGE_EVENTS) {
      const page = await this.reader.read(streamId, { from: next, to, limit: PAGE_EVENTS });
      if (page.length > 0) yield page;
      if (page.length < PAGE_EVENTS) return;
    }
  }

  private async toPage(
    streamId: StreamId,
    rows: readonly ContentRow[],
    from: number,
    to: number,
  ): Promise<readonly EventContent[]> {
    const special = rows.filter(hasSpecialMetadata).map((row) => ({
      ...toContent(streamId, row),
      metadata: JSON.parse(row[4]) as JsonObject,
    }));
    // The ciphertext is bound to columns that other events do not need.
    if (special.some(({ metadata }) => ENCRYPTED_DATA_KEY in metadata)) return this.reader.read(streamId, { from, to });
    if (special.length === 0) return rows.map((row) => toContent(streamId, row));
    const restored = await restoreLargeTexts(this.blobs, special);
    const byVersion = new Map(restored.map((event) => [event.version, event]));
    return rows.map((row) => byVersion.get(Number(row[0])) ?? toContent(streamId, row));
  }

  /** Returns undefined if the stream is in cold storage. */
  private async query(streamId: StreamId, from: number, to: number): Promise<readonly ContentRow[] | undefined> {
    const rows = await queryRows<ContentRow | MovedRow>(this.pool, {
      ...READ_CONTENT,
      values: [streamId, from, to],
      ...{ rowMode: 'array', types: AS_TEXT },
    });
    // Rows in array mode are tuples in the order of the selected columns.
    return rows.at(-1)?.[0] === null ? undefined : (rows as ContentRow[]);
  }
}

/** Whether the metadata may list large texts or contain a ciphertext. The names of these members begin with a dollar sign. */
function hasSpecialMetadata([, , , , metadata]: ContentRow): boolean {
  return metadata.includes('$') || metadata.includes('\\');
}

function toContent(streamId: StreamId, [version, type, schemaVersion, data]: ContentRow): EventContent {
  return {
    streamId,
    version: Number(version),
    type,
    schemaVersion: Number(schemaVersion),
    data: JSON.parse(data) as JsonObject,
  };
}
