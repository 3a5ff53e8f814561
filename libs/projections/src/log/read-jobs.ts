import type { JobId, StreamId } from '@phaseline/contracts';
import { compareTailPositions, readColdEvents, type ColdStorage, type TailPosition } from '@phaseline/event-store';
import type pg from 'pg';
import { decodeEvents, type DecodedEvents } from '../behind/behind-jobs.js';
import { toBoundParameters, PARTITIONS, type LogBounds } from './log-bounds.js';
import {
  toPickedViewChange,
  toViewChange,
  viewFields,
  viewTypes,
  viewVersions,
  type ReadEvent,
} from './view-events.js';

/** Returns SQL arguments of `json_build_object` for the member of the data at a path. */
function member(path: string): string {
  const parts = path.split('.');
  return `'${parts[0]}', ${parts.length === 1 ? `e.data->'${path}'` : `json_build_object('${parts[1]}', e.data#>'{${parts.join(',')}}')`}`;
}

/**
 * SQL that selects the members of the data that a fold reads. Uses json instead of jsonb: each `->` scans the text once
 * and builds nothing.
 */
const PICKED_MEMBERS = `CASE e.type ${viewTypes
  .map((type) => {
    const fields = viewFields[type];
    return `WHEN '${type}' THEN ${fields.length === 0 ? `'{}'` : `json_build_object(${fields.map(member).join(', ')})::text`}`;
  })
  .join('\n')} END`;

/**
 * Selects the events of some jobs that change read models, up to the bounds of each job's partition, in the order of
 * the log. Rows without a type come last, and name archives with more events, and the partition. The data of an event with an older schema version is selected whole, because it has to be upcast.
 */
const READ_JOBS = {
  name: 'phaseline-read-jobs',
  text: `
    (SELECT j.id, e.stream_id, e.type, e.position, e.recorded_at::text AS recorded_at,
      CASE WHEN e.schema_version = v.version THEN NULL ELSE e.schema_version END AS old_version,
      CASE WHEN e.schema_version = v.version THEN ${PICKED_MEMBERS} ELSE e.data::text END AS data
    FROM unnest($1::text[]) WITH ORDINALITY AS j(id, n)
    CROSS JOIN LATERAL (SELECT phaseline.partition_of(j.id, ${PARTITIONS}) + 1) AS p(partition)
    JOIN phaseline.events AS e ON e.correlation_id = j.id
    JOIN unnest($2::text[], $3::integer[]) AS v(type, version) ON v.type = e.type
    WHERE (e.transaction_id, e.position) <= (($4::text[])[p.partition]::xid8, ($5::bigint[])[p.partition])
    ORDER BY j.n, e.position)
    UNION ALL SELECT a.correlation_id, a.archive, NULL, phaseline.partition_of(a.correlation_id, ${PARTITIONS}), NULL, NULL, NULL
    FROM phaseline.cold_archives AS a WHERE a.correlation_id = ANY ($1)`,
};

const asText = { getTypeParser: () => (value: string) => value };

/** Returns a page of job ids after a given one, in order. */
export async function readJobIdsAfter(client: pg.ClientBase, after: JobId, limit: number): Promise<JobId[]> {
  const { rows } = await client.query<{ id: JobId }>({
    name: 'phaseline-job-ids',
    // '.' follows '-' in ASCII, so this range contains the streams that start with `job-`.
    text: `SELECT substr(stream_id, 5) AS id FROM phaseline.streams
           WHERE stream_id > 'job-' || $1 AND stream_id < 'job.' ORDER BY stream_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map(({ id }) => id);
}

/** Returns the number of jobs. */
export async function countJobs(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ jobs: string }>(
    `SELECT count(*) AS jobs FROM phaseline.streams WHERE stream_id > 'job-' AND stream_id < 'job.'`,
  );
  return Number(rows[0]!.jobs);
}

/**
 * Reads the changes of some jobs up to the bounds, in the order in which they are to be folded; for each job as far as
 * its events are understood. The time zone of the session must be UTC.
 */
export async function readJobs(
  client: pg.ClientBase,
  jobIds: readonly JobId[],
  bounds: LogBounds,
  cold: ColdStorage | undefined,
): Promise<DecodedEvents> {
  const { rows } = await client.query<string[]>({
    ...READ_JOBS,
    values: [jobIds, viewTypes, viewVersions, ...toBoundParameters(bounds)],
    rowMode: 'array',
    // The types of pg require every member of a type registry; only `getTypeParser` is called.
    types: asText as never,
  });
  const events: SelectedEvent[] = [];
  let hasArchives = false;
  // Rows in array mode are tuples in the order of the selected columns.
  for (const [correlationId, streamId, type, position, recordedAt, oldVersion, data] of rows as unknown as EventRow[]) {
    if (type === null) {
      hasArchives = true;
      events.push(...(await readArchivedEvents(client, streamId, bounds[Number(position)]!, cold)));
      continue;
    }
    events.push({
      streamId,
      correlationId,
      version: 0,
      type,
      position: Number(position),
      recordedAt,
      schemaVersion: Number(oldVersion ?? 0),
      // The query selects only versions that this release reads.
      data: JSON.parse(data) as never,
      picked: oldVersion === null,
    });
  }
  if (hasArchives) sortByJob(events, jobIds);
  return decodeEvents(events, (event) => (event.picked ? toPickedViewChange(event) : toViewChange(event)));
}

/** An event with the members of its data that a fold reads (`picked`), or with all of them. */
type SelectedEvent = ReadEvent & { readonly picked: boolean };

const viewTypeSet: ReadonlySet<string> = new Set(viewTypes);

/** Reads the events of an archive that change read models, up to a bound. */
async function readArchivedEvents(
  client: pg.ClientBase,
  archive: string,
  bound: TailPosition,
  cold: ColdStorage | undefined,
): Promise<SelectedEvent[]> {
  const events = await readColdEvents(cold, client, archive);
  return (
    events
      .filter(
        ({ type, position, transactionId }) =>
          viewTypeSet.has(type) && compareTailPositions({ transactionId: String(transactionId), position }, bound) <= 0,
      )
      // The log contains objects only; the decoder checks their shape.
      .map((event) => ({ ...event, data: JSON.parse(event.data) as never, picked: false }))
  );
}

function sortByJob(events: SelectedEvent[], jobIds: readonly JobId[]): void {
  const order = new Map(jobIds.map((id, index) => [id, index]));
  events.sort(
    (left, right) => order.get(left.correlationId)! - order.get(right.correlationId)! || left.position - right.position,
  );
}

type EventRow = readonly [
  correlationId: JobId,
  streamId: StreamId,
  type: string | null,
  position: string,
  recordedAt: string,
  oldVersion: string | null,
  data: string,
];

/** Returns the jobs with events after one bound and up to another. */
export async function findJobsBetween(client: pg.ClientBase, after: LogBounds, to: LogBounds): Promise<JobId[]> {
  const { rows } = await client.query<{ id: JobId }>(
    // A job that moved since can have had events in between, and is folded again in any case.
    `SELECT DISTINCT e.correlation_id AS id ${BETWEEN_SQL}
     UNION SELECT a.correlation_id ${ARCHIVES_BETWEEN_SQL}`,
    betweenParameters(after, to),
  );
  return rows.map(({ id }) => id);
}

/** Returns the partitions with events after one bound and up to another. */
export async function findPartitionsBetween(client: pg.ClientBase, after: LogBounds, to: LogBounds): Promise<number[]> {
  const { rows } = await client.query<{ partition: number }>(
    `SELECT DISTINCT p.number - 1 AS partition ${BETWEEN_SQL}
     UNION SELECT phaseline.partition_of(a.correlation_id, ${PARTITIONS}) ${ARCHIVES_BETWEEN_SQL}`,
    betweenParameters(after, to),
  );
  return rows.map(({ partition }) => partition);
}

/** Archives that can have events between two bounds. */
const ARCHIVES_BETWEEN_SQL = `FROM phaseline.cold_archives AS a
     WHERE a.last_transaction_id >= (SELECT min(t) FROM unnest($1::text[]::xid8[]) AS t)
       AND a.first_transaction_id <= (SELECT max(t) FROM unnest($3::text[]::xid8[]) AS t)`;

const BETWEEN_SQL = `
  FROM (SELECT min(t) FROM unnest($1::text[]::xid8[]) AS t) AS low(transaction_id),
       (SELECT max(t) FROM unnest($3::text[]::xid8[]) AS t) AS high(transaction_id),
       phaseline.events AS e
  CROSS JOIN LATERAL (SELECT phaseline.partition_of(e.correlation_id, ${PARTITIONS}) + 1) AS p(number)
  WHERE e.transaction_id BETWEEN low.transaction_id AND high.transaction_id
    AND (e.transaction_id, e.position) > (($1::text[])[p.number]::xid8, ($2::bigint[])[p.number])
    AND (e.transaction_id, e.position) <= (($3::text[])[p.number]::xid8, ($4::bigint[])[p.number])
    AND e.type = ANY ($5::text[])`;

function betweenParameters(after: LogBounds, to: LogBounds): unknown[] {
  return [...toBoundParameters(after), ...toBoundParameters(to), viewTypes];
}
