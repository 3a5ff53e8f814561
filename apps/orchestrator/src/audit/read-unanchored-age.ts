import type { Pool } from 'pg';

/** Reads one row of the index on the end of the log, however many events no anchor covers. */
const UNANCHORED_SQL = `SELECT coalesce((
    SELECT greatest(0, extract(epoch FROM clock_timestamp() - e.recorded_at)) FROM phaseline.events AS e
    WHERE e.transaction_id >= coalesce((SELECT a.horizon FROM phaseline.anchors AS a ORDER BY a.number DESC LIMIT 1), '0')
    ORDER BY e.transaction_id, e.position LIMIT 1
  ), 0)::float8 AS seconds`;

/** Returns the age in seconds of the oldest event that no anchor covers; 0 when there is none. */
export async function readUnanchoredAge(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(UNANCHORED_SQL);
  return rows[0]?.seconds ?? 0;
}
