import { AS_TEXT } from '../database/query-rows.js';
import type pg from 'pg';
import { toRecordedEvent, type EventRow, type RecordedEvent } from '../read/recorded-event.js';
import type { TailPosition } from './tail-position.js';

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
 * are returned without content, to report the position that the scan reached. Uses pg directly because the statement runs constantly and is
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
    ) AS s
    ORDER BY transaction_id, position`,
};

/** Scans the next rows of the tail. */
export async function scanTail(
  pool: pg.Pool,
  { after, partitions, wantedPartitions, types }: TailScanRequest,
): Promise<TailScan> {
  const { rows } = await pool.query<string[]>({
    ...SCAN,
    values: [after.transactionId, after.position, partitions, wantedPartitions, types ?? null],
    rowMode: 'array',
    types: AS_TEXT,
  });
  const events = new Map<number, RecordedEvent[]>();
  for (const [partitionText, ...row] of rows) {
    if ((row[1] as string | null) === null) continue;
    const partition = Number(partitionText);
    const list = events.get(partition);
    // Rows in array mode are tuples in the order of the selected columns.
    const event = toRecordedEvent(row as unknown as EventRow);
    if (list) list.push(event);
    else events.set(partition, [event]);
  }
  const last = rows.at(-1);
  const bound = last && { transactionId: last[11] as string, position: Number(last[1]) };
  return { bound, events, hasMore: rows.length === ROWS_PER_SCAN };
}
