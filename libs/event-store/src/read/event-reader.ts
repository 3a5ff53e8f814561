import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import type pg from 'pg';
import type { BlobStore } from '../blobs/blob-store.js';
import type { StoredEvent } from '../chain/diagnose-stream.js';
import { AS_TEXT, queryRows } from '../database/query-rows.js';
import { restoreLargeTexts } from '../large-text/restore-large-texts.js';
import type { JobKeys } from '../encryption/job-keys.js';
import { decryptEvents } from '../encryption/decrypt-events.js';
import { readColdEvents, type ColdStorage } from '../cold/cold-storage.js';
import { GroupReads, type StreamRange } from './group-reads.js';
import {
  EVENT_COLUMNS,
  toRecordedColdEvent,
  toRecordedEvent,
  type EventRow,
  type RecordedEvent,
} from './recorded-event.js';

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

/** The columns of a row that names an archive, which contains more events of the result: all but the name are NULL. */
const ARCHIVE_COLUMNS = 'NULL, archive, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL';
/** A correlation is ordered alike by transaction and by position, so the range of an archive holds for positions too. */
const ARCHIVES_OF_CORRELATION = `SELECT ${ARCHIVE_COLUMNS} FROM phaseline.cold_archives
    WHERE correlation_id = $1 AND last_position > $2 AND first_position <= $3`;

/**
 * Selects the events of a range of a stream. The stream can be in cold storage, so this also names the archive to read: in one snapshot,
 * no event is in neither place, and a read of the log needs no further query.
 */
const selectRange = (streamId: string, from: string, to: string, limit: string): string =>
  `(SELECT ${EVENT_COLUMNS} FROM phaseline.events
    WHERE stream_id = ${streamId} AND version BETWEEN ${from} AND ${to} ORDER BY version LIMIT ${limit})
    UNION ALL SELECT ${ARCHIVE_COLUMNS} FROM phaseline.cold_streams WHERE stream_id = ${streamId}`;

/**
 * The statements use pg directly instead of Kysely: most reads of the services are folds of streams, and prepared statements with text rows
 * are twice as fast.
 */
const READ_STREAM = { name: 'phaseline-read-stream', text: selectRange('$1', '$2', '$3', '$4') };
/** The column in front of those of the event is the number of the range, from 1. Rows of archives come last, as they have no version. */
const READ_RANGES = {
  name: 'phaseline-read-ranges',
  text: `SELECT r.number, e.*
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS r(stream_id, low, high, size, number)
    CROSS JOIN LATERAL (${selectRange('r.stream_id', 'r.low', 'r.high', 'r.size')}) AS e ORDER BY r.number, e.version`,
};
const FIND_EVENT = {
  name: 'phaseline-find-event',
  text: `SELECT ${EVENT_COLUMNS} FROM phaseline.events WHERE event_id = $1`,
};
const READ_CORRELATION = {
  name: 'phaseline-read-correlation',
  text: `(SELECT ${EVENT_COLUMNS} FROM phaseline.events
    WHERE correlation_id = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4)
    UNION ALL ${ARCHIVES_OF_CORRELATION}`,
};
const READ_CORRELATION_TYPES = {
  name: 'phaseline-read-correlation-types',
  text: `(SELECT ${EVENT_COLUMNS} FROM phaseline.events
    WHERE correlation_id = $1 AND position > $2 AND position <= $3 AND type = ANY ($5) ORDER BY position LIMIT $4)
    UNION ALL ${ARCHIVES_OF_CORRELATION}`,
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
    /** Without it, events in cold storage cannot be read. */
    private readonly cold?: ColdStorage,
  ) {}

  /** Reads the events of a stream in version order; empty if the stream does not exist. */
  async read(
    streamId: StreamId,
    { from = 1, to = NEWEST, limit, texts = 'whole' }: ReadOptions = {},
  ): Promise<RecordedEvent[]> {
    const found =
      from > 1 && to === NEWEST && limit !== undefined
        ? await this.newer.read({ streamId, from, to, limit })
        : await this.query(READ_STREAM, [streamId, from, to, limit ?? null]);
    const events = await this.addArchived(
      found,
      (event) => event.streamId === streamId && event.version >= from && event.version <= to,
      limit,
    );
    return texts === 'whole' ? this.restoreContent(events) : events;
  }

  /**
   * Finds an event by id. Large texts are returned as previews, and encrypted content stays redacted. Events in cold storage are not found:
   * their streams have ended, so nothing is appended to them twice.
   */
  async find(eventId: EventId): Promise<RecordedEvent | undefined> {
    const { events } = await this.query(FIND_EVENT, [eventId]);
    return events[0];
  }

  /** Reads the events of all streams of a correlation in position order. */
  async readCorrelation(
    correlationId: JobId,
    { after = 0, to = NEWEST, types, limit, texts = 'preview' }: ReadCorrelationOptions = {},
  ): Promise<RecordedEvent[]> {
    const range = [correlationId, after, to, limit ?? null];
    const [statement, values] =
      types === undefined ? [READ_CORRELATION, range] : [READ_CORRELATION_TYPES, [...range, types]];
    const isWanted = ({ position, type }: StoredEvent): boolean =>
      position > after && position <= to && (types?.includes(type) ?? true);
    const events = await this.addArchived(await this.query(statement, values), isWanted, limit);
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

  private async queryRanges(ranges: readonly StreamRange[]): Promise<FoundEvents[]> {
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
    const rows: FoundRow[][] = ranges.map(() => []);
    // Rows in array mode are tuples in the order of the selected columns.
    for (const [number, ...row] of await queryRows<[string, ...FoundRow]>(this.pool, query))
      rows[Number(number) - 1]!.push(row);
    return rows.map(splitRows);
  }

  private async query(statement: { name: string; text: string }, values: unknown[]): Promise<FoundEvents> {
    const query = { ...statement, values, rowMode: 'array', types: AS_TEXT };
    // Rows in array mode are tuples in the order of the selected columns.
    return splitRows(await queryRows<FoundRow>(this.pool, query));
  }

  /** Adds the events of the archives that a statement named. */
  private async addArchived(
    { events, archives }: FoundEvents,
    isWanted: (event: StoredEvent) => boolean,
    limit: number | undefined,
  ): Promise<RecordedEvent[]> {
    if (archives.length === 0) return events;
    const archived: StoredEvent[][] = [];
    for (const archive of archives)
      archived.push((await readColdEvents(this.cold, this.pool, archive)).filter(isWanted));
    // Within a stream, positions are in the order of versions. Only events that can be in the result have their data parsed.
    const first = archived.flat().sort(comparePositions).slice(0, limit).map(toRecordedColdEvent);
    return [...events, ...first].sort(comparePositions).slice(0, limit);
  }
}

/** What a statement found in the log, and the archives that contain more events of the result. */
interface FoundEvents {
  readonly events: RecordedEvent[];
  readonly archives: readonly string[];
}

type ArchiveRow = readonly [position: null, archive: string];
type FoundRow = EventRow | ArchiveRow;

/** Separates the rows that name archives, which come last. */
function splitRows(rows: FoundRow[]): FoundEvents {
  const archives: string[] = [];
  while (rows.at(-1)?.[0] === null) archives.push(rows.pop()![1]);
  return { events: (rows as EventRow[]).map(toRecordedEvent), archives };
}

function comparePositions(left: { readonly position: number }, right: { readonly position: number }): number {
  return left.position - right.position;
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
