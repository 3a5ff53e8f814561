import type { JobId } from '@phaseline/contracts';
import { queryRows, type ColdStorage, type StoredEvent } from '@phaseline/event-store';
import type pg from 'pg';
import { mergeByPosition, readArchivedEvents } from './archived-events.js';

/** Where a page of events begins. */
interface PageAnchor {
  /** Position after which the page begins. */
  readonly position: number;
  /** When the first event of the page was recorded; ISO 8601, UTC. */
  readonly at: string;
}

export interface EventIndex {
  readonly count: number;
  readonly firstAt?: string;
  readonly lastAt?: string;
  readonly lastPosition?: number;
  readonly anchors: readonly PageAnchor[];
}

/**
 * Numbers the events of a job from the index (correlation_id, position) alone, and reads the time of the few events that are returned. The
 * last event is returned too, marked by having no next one.
 */
const PAGES = {
  name: 'phaseline-event-index',
  text: `WITH numbered AS (
      SELECT position, row_number() OVER w AS number, lag(position, 1, $2::bigint) OVER w AS before, lead(position) OVER w IS NULL AS is_last
      FROM phaseline.events WHERE correlation_id = $1 AND position > $2 WINDOW w AS (ORDER BY position)
    ), chosen AS MATERIALIZED (SELECT * FROM numbered WHERE is_last OR (number - 1) % $3 = 0)
    SELECT c.number::float8 AS number, c.before::float8 AS before, c.position::float8 AS position, c.is_last, e.recorded_at
    FROM chosen AS c JOIN phaseline.events AS e ON e.correlation_id = $1 AND e.position = c.position ORDER BY c.number`,
};

interface Row {
  readonly number: number;
  readonly before: number;
  readonly position: number;
  readonly is_last: boolean;
  readonly recorded_at: Date;
}

/** Returns where each page of `every` events of a job begins, without reading the data of any event. */
export async function readEventIndex(
  pool: pg.Pool,
  jobId: JobId,
  { every, after, cold }: { readonly every: number; readonly after: number; readonly cold?: ColdStorage | undefined },
): Promise<EventIndex> {
  const ofLog = await queryRows<Row>(pool, { ...PAGES, values: [jobId, after, every] });
  const archived = (await readArchivedEvents(pool, jobId, cold)).filter(({ position }) => position > after);
  const rows = archived.length === 0 ? ofLog : await numberWithArchives(pool, jobId, { every, after, archived });
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return { count: 0, anchors: [] };
  return {
    count: last.number,
    firstAt: first.recorded_at.toISOString(),
    lastAt: last.recorded_at.toISOString(),
    lastPosition: last.position,
    anchors: rows
      .filter(({ number }) => (number - 1) % every === 0)
      .map(({ before, recorded_at: at }) => ({ position: before, at: at.toISOString() })),
  };
}

const TIMES = {
  name: 'phaseline-event-times',
  text: `SELECT position::float8 AS position, recorded_at FROM phaseline.events
    WHERE correlation_id = $1 AND position > $2 ORDER BY position`,
};

/** Does what `PAGES` does, for a job with events in cold storage. */
async function numberWithArchives(
  pool: pg.Pool,
  jobId: JobId,
  {
    every,
    after,
    archived,
  }: { readonly every: number; readonly after: number; readonly archived: readonly StoredEvent[] },
): Promise<Row[]> {
  const ofLog = await queryRows<{ position: number; recorded_at: Date }>(pool, { ...TIMES, values: [jobId, after] });
  const events = mergeByPosition(
    ofLog,
    archived.map(({ position, recordedAt }) => ({ position, recorded_at: new Date(recordedAt) })),
  );
  return events
    .map((event, index) => ({
      ...event,
      number: index + 1,
      before: events[index - 1]?.position ?? after,
      is_last: index === events.length - 1,
    }))
    .filter((row) => row.is_last || (row.number - 1) % every === 0);
}
