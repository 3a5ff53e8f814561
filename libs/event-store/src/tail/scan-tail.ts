import { AS_TEXT } from '../database/query-rows.js';
import type pg from 'pg';
import { readColdEvents, type ColdStorage } from '../cold/cold-storage.js';
import { runInSnapshot } from '../database/transaction.js';
import { toRecordedColdEvent, toRecordedEvent, type EventRow, type RecordedEvent } from '../read/recorded-event.js';
import { compareTailPositions, type TailPosition } from './tail-position.js';

export interface TailScanRequest {
  readonly after: TailPosition;
  /** Number of partitions of the subscription. */
  readonly partitions: number;
  /** Partitions to read. */
  readonly wantedPartitions: readonly number[];
  /** Event types to read; undefined: all. */
  readonly types: readonly string[] | undefined;
}

export interface TailScan {
  /** Tail position of the last scanned row, whether it matched or not; undefined if there was no row. */
  readonly bound: TailPosition | undefined;
  /** Matching events by partition, in tail order. */
  readonly events: ReadonlyMap<number, readonly RecordedEvent[]>;
  /** Whether there may be more rows after the bound. */
  readonly hasMore: boolean;
}

/** Limits the duration of a query to some milliseconds, and bounds the memory it needs. */
const ROWS_PER_SCAN = 500;

/**
 * Reads the tail up to the oldest open transaction. No event can still appear before these rows, so a reader that has passed them has skipped
 * nothing.
 *
 * The inner LIMIT is a constant so that scanning the index of the tail is the cheapest plan for any size of the table. Rows that do not match
 * are returned without content, to report the position that the scan reached. If archives contain later events, the first row has no position:
 * only a subscription that reads the log from its start sees that, because it is far behind. Uses pg directly because the statement runs constantly and is
 * prepared by name.
 */
const SCAN = {
  name: 'phaseline-scan-tail',
  text: `SELECT partition, position, stream_id, version, event_id, type, schema_version, data, metadata, recorded_at,
      correlation_id, transaction_id, hash
    FROM (
      SELECT e.transaction_id, e.position, w.partition, w.wanted,
        CASE WHEN wanted THEN stream_id END AS stream_id, CASE WHEN wanted THEN version END AS version,
        CASE WHEN wanted THEN event_id END AS event_id, CASE WHEN wanted THEN type END AS type,
        CASE WHEN wanted THEN schema_version END AS schema_version, CASE WHEN wanted THEN data END AS data,
        CASE WHEN wanted THEN metadata END AS metadata, CASE WHEN wanted THEN recorded_at END AS recorded_at,
        CASE WHEN wanted THEN correlation_id END AS correlation_id, CASE WHEN wanted THEN hash END AS hash
      FROM (
        SELECT * FROM phaseline.events
        WHERE (transaction_id, position) > ($1::xid8, $2::bigint)
          AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY transaction_id, position LIMIT ${ROWS_PER_SCAN}
      ) AS e
      CROSS JOIN LATERAL (SELECT phaseline.partition_of(e.correlation_id, $3::integer)) AS p(partition)
      CROSS JOIN LATERAL (
        SELECT p.partition, p.partition = ANY ($4::integer[]) AND ($5::text[] IS NULL OR e.type = ANY ($5::text[]))
      ) AS w(partition, wanted)
      UNION ALL (SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
        FROM phaseline.cold_archives WHERE (last_transaction_id, last_position) > ($1::xid8, $2::bigint) LIMIT 1)
    ) AS s
    ORDER BY transaction_id NULLS FIRST, position`,
};

type TailRow = readonly (string | null)[];
const POSITION = 1;
const TRANSACTION = 11;

/** Scans the next rows of the tail, with those in cold storage. */
export async function scanTail(
  pool: pg.Pool,
  request: TailScanRequest,
  cold: ColdStorage | undefined,
): Promise<TailScan> {
  const rows = await readRows(pool, request);
  if (rows[0]?.[POSITION] === null)
    return runInSnapshot(pool, async (client) =>
      scanWithArchives(
        client,
        (await readRows(client, request)).filter((row) => row[POSITION] !== null),
        request,
        cold,
      ),
    );
  const events = new Map<number, RecordedEvent[]>();
  for (const [partitionText, ...row] of rows) {
    if (row[1] === null) continue;
    // Rows in array mode are tuples in the order of the selected columns.
    addEvent(events, Number(partitionText), toRecordedEvent(row as unknown as EventRow));
  }
  const last = rows.at(-1);
  return { bound: last && toTailPosition(last), events, hasMore: rows.length === ROWS_PER_SCAN };
}

async function readRows(
  database: Pick<pg.ClientBase, 'query'>,
  { after, partitions, wantedPartitions, types }: TailScanRequest,
): Promise<TailRow[]> {
  const { rows } = await database.query<(string | null)[]>({
    ...SCAN,
    values: [after.transactionId, after.position, partitions, wantedPartitions, types ?? null],
    rowMode: 'array',
    types: AS_TEXT,
  });
  return rows;
}

function toTailPosition(row: TailRow): TailPosition {
  return { transactionId: row[TRANSACTION]!, position: Number(row[POSITION]) };
}

function addEvent(events: Map<number, RecordedEvent[]>, partition: number, event: RecordedEvent): void {
  const list = events.get(partition);
  if (list) list.push(event);
  else events.set(partition, [event]);
}

/** Archives that are opened ahead of those that overlap the position. */
const ARCHIVES_AHEAD = 8;

/** Merges the rows of a scan with the events of archives, and keeps the first of both. Runs in the snapshot of the rows. */
async function scanWithArchives(
  client: pg.ClientBase,
  rows: readonly TailRow[],
  { after, partitions, wantedPartitions, types }: TailScanRequest,
  cold: ColdStorage | undefined,
): Promise<TailScan> {
  const { rows: found } = await client.query<{
    archive: string;
    partition: number;
    ahead: boolean;
    transactionId: string;
    position: string;
  }>(
    `SELECT archive, phaseline.partition_of(correlation_id, $3) AS partition, first_transaction_id::text AS "transactionId",
       first_position AS position, (first_transaction_id, first_position) > ($1::xid8, $2::bigint) AS ahead
     FROM phaseline.cold_archives WHERE (last_transaction_id, last_position) > ($1::xid8, $2::bigint)
     ORDER BY first_transaction_id, first_position`,
    [after.transactionId, after.position, partitions],
  );
  const overlapping = found.filter(({ ahead }) => !ahead);
  const next = found.filter(({ ahead }) => ahead);
  const beyond = next[ARCHIVES_AHEAD];
  const lastRow = rows.at(-1);
  // Events after these positions may exist that were not read here.
  const isBefore = (place: TailPosition, end: TailPosition): boolean => compareTailPositions(place, end) < 0;
  const firstBeyond = beyond && { transactionId: beyond.transactionId, position: Number(beyond.position) };
  const rowsEnd = lastRow && rows.length === ROWS_PER_SCAN ? toTailPosition(lastRow) : undefined;
  const isRead = (place: TailPosition): boolean =>
    (!firstBeyond || isBefore(place, firstBeyond)) && (!rowsEnd || !isBefore(rowsEnd, place));

  const merged: {
    readonly place: TailPosition;
    readonly partition: number;
    readonly event: RecordedEvent | undefined;
  }[] = [];
  for (const row of rows) {
    const [partition, ...columns] = row;
    // As above: a tuple in the order of the columns.
    const event = columns[1] === null ? undefined : toRecordedEvent(columns as unknown as EventRow);
    merged.push({ place: toTailPosition(row), partition: Number(partition), event });
  }
  for (const { archive, partition } of [...overlapping, ...next.slice(0, ARCHIVES_AHEAD)])
    for (const stored of await readColdEvents(cold, client, archive)) {
      const place = { transactionId: String(stored.transactionId), position: stored.position };
      if (!isBefore(after, place)) continue;
      const isWanted = wantedPartitions.includes(partition) && (types?.includes(stored.type) ?? true);
      merged.push({ place, partition, event: isWanted ? toRecordedColdEvent(stored) : undefined });
    }
  const readable = merged
    .filter(({ place }) => isRead(place))
    .sort((left, right) => compareTailPositions(left.place, right.place));
  const page = readable.slice(0, ROWS_PER_SCAN);
  const events = new Map<number, RecordedEvent[]>();
  for (const { partition, event } of page) if (event) addEvent(events, partition, event);
  const hasMore = page.length < readable.length || beyond !== undefined || rowsEnd !== undefined;
  return { bound: page.at(-1)?.place, events, hasMore };
}
