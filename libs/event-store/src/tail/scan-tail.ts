import type pg from 'pg';
import { recordedEvent, type EventRow, type RecordedEvent } from '../read/recorded-event.js';
import type { TailPosition } from './tail-position.js';

export interface ScanRequest {
  readonly after: TailPosition;
  /** Number of partitions that the log is divided into for this reader. */
  readonly partitions: number;
  /** The ones that are wanted. */
  readonly wanted: readonly number[];
  /** Event types that are wanted; undefined: all. */
  readonly types: readonly string[] | undefined;
}

export interface Scan {
  /** The place of the last row looked at, wanted or not; undefined when there was none. */
  readonly bound: TailPosition | undefined;
  /** Wanted events by partition, in the order of the tail. */
  readonly events: ReadonlyMap<number, readonly RecordedEvent[]>;
  /** There may be more behind the bound at this moment. */
  readonly more: boolean;
}

/** Rows looked at in one query: some milliseconds of work, and a bounded amount of memory. */
const SCAN_ROWS = 500;

/**
 * The gate: rows of transactions below the oldest one that is still under way. Whatever could still appear in front of
 * a row has appeared, so a reader that has passed it has skipped nothing.
 *
 * The inner LIMIT is a constant on purpose: it makes the walk along the tail's index the cheapest plan at any size of
 * the table. Rows that are not wanted come back as well, as a place without contents, to tell how far the walk got.
 * Raw pg: it is run all the time and prepared by name.
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
        ORDER BY transaction_id, position LIMIT ${SCAN_ROWS}
      ) AS e
      CROSS JOIN LATERAL (SELECT phaseline.partition_of(e.correlation_id, $3::integer)) AS p(partition)
      CROSS JOIN LATERAL (
        SELECT p.partition, p.partition = ANY ($4::integer[]) AND ($5::text[] IS NULL OR e.type = ANY ($5::text[]))
      ) AS w(partition, wanted)
    ) AS s
    ORDER BY transaction_id, position`,
};

const asText = { getTypeParser: () => (value: string) => value };

/** Looks at the next rows of the tail. */
export async function scanTail(pool: pg.Pool, { after, partitions, wanted, types }: ScanRequest): Promise<Scan> {
  const { rows } = await pool.query<string[]>({
    ...SCAN,
    values: [after.transactionId, after.position, partitions, wanted, types ?? null],
    rowMode: 'array',
    types: asText as never,
  });
  const events = new Map<number, RecordedEvent[]>();
  for (const [partitionText, ...row] of rows) {
    if ((row[1] as string | null) === null) continue;
    const partition = Number(partitionText);
    const list = events.get(partition);
    const event = recordedEvent(row as unknown as EventRow);
    if (list) list.push(event);
    else events.set(partition, [event]);
  }
  const last = rows.at(-1);
  const bound = last && { transactionId: last[11] as string, position: Number(last[1]) };
  return { bound, events, more: rows.length === SCAN_ROWS };
}
