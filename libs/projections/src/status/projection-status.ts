import type { Queryable } from '@phaseline/event-store';
import { toBoundParameters, readCheckpoints, PARTITIONS, type LogBounds } from '../log/log-bounds.js';
import { viewTypes } from '../log/view-events.js';
import { REVISION, type ReadModelName } from '../models/read-model.js';
import { tableName, readVersionRows, type VersionRow } from '../tables/table-versions.js';

/** Lag of the read models behind the log. */
export interface ProjectionLag {
  /** Number of events that change a read model and are not applied yet. Counting stops at a million. */
  readonly lagEvents: number;
  /** Age of the oldest of these, in seconds; 0 when there is none. */
  readonly lagSeconds: number;
}

export interface ProjectionStatus extends ProjectionLag {
  readonly name: ReadModelName;
  readonly version: number;
  /** `outdated`: filled by an older release; `ahead`: by a newer one. */
  readonly state: VersionRow['state'] | 'outdated' | 'ahead';
  /**
   * Position of the newest applied event; undefined while the table is being built. `events` is the number of events
   * before it that are not applied.
   */
  readonly position: number | undefined;
  readonly rows: number;
  /** When the version was activated, or when its build started. */
  readonly changedAt: Date;
}

const MAX_COUNTED_EVENTS = 1_000_000;

/** Counts the events after the checkpoints. Reads only the tail, so it is fast when there are few. */
export async function readProjectionLag(database: Queryable, from?: LogBounds): Promise<ProjectionLag> {
  const bounds = from ?? (await readCheckpoints(database));
  const { rows } = await database.query<{ events: string; seconds: string | null }>(
    `SELECT count(*) AS events, extract(epoch FROM clock_timestamp() - min(recorded_at)) AS seconds
     FROM (
       SELECT e.recorded_at
       FROM (SELECT min(t) FROM unnest($1::text[]::xid8[]) AS t) AS low(transaction_id),
            phaseline.events AS e
       CROSS JOIN LATERAL (SELECT phaseline.partition_of(e.correlation_id, ${PARTITIONS}) + 1) AS p(partition)
       WHERE e.transaction_id >= low.transaction_id
         AND (e.transaction_id, e.position) > (($1::text[])[p.partition]::xid8, ($2::bigint[])[p.partition])
         AND e.type = ANY ($3::text[])
       LIMIT ${MAX_COUNTED_EVENTS}
     ) AS behind`,
    [...toBoundParameters(bounds), viewTypes],
  );
  return { lagEvents: Number(rows[0]!.events), lagSeconds: Math.max(0, Number(rows[0]!.seconds ?? 0)) };
}

/** Returns every version that has a table, with its lag. Counts all rows, so it is meant for people. */
export async function readProjectionStatus(database: Queryable): Promise<ProjectionStatus[]> {
  const bounds = await readCheckpoints(database);
  const lag = await readProjectionLag(database, bounds);
  const position = await positionOf(database, bounds);
  const statuses: ProjectionStatus[] = [];
  for (const row of await readVersionRows(database)) {
    const { name, version, revision, state, created_at, activated_at } = row;
    const counted = await database.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${tableName(name, version)}`);
    const active = state === 'active';
    statuses.push({
      name,
      version,
      state: active && revision < REVISION ? 'outdated' : active && revision > REVISION ? 'ahead' : state,
      position: active ? position : undefined,
      rows: Number(counted.rows[0]!.rows),
      changedAt: activated_at ?? created_at,
      ...(active ? lag : { lagEvents: 0, lagSeconds: 0 }),
    });
  }
  return statuses;
}

/** Returns the position of the newest event up to the furthest checkpoint; 0 when there is none. */
async function positionOf(database: Queryable, bounds: LogBounds): Promise<number> {
  const { rows } = await database.query<{ position: string | null }>(
    `SELECT e.position FROM phaseline.events AS e,
       (SELECT t::xid8, p FROM unnest($1::text[], $2::bigint[]) AS c(t, p) ORDER BY 1 DESC, 2 DESC LIMIT 1) AS far(transaction_id, position)
     WHERE (e.transaction_id, e.position) <= (far.transaction_id, far.position)
     ORDER BY e.transaction_id DESC, e.position DESC LIMIT 1`,
    toBoundParameters(bounds),
  );
  return Number(rows[0]?.position ?? 0);
}
