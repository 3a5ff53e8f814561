import { formatAge, pluralise } from '../../output/quantities.js';
import { fail, ok, warn, type Check } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';

interface AnchorStatus {
  readonly number: string | null;
  readonly age_ms: number | null;
  readonly unanchored_ms: number | null;
  readonly gaps: string;
  readonly lost: string;
}

/**
 * Reads the newest anchor, the age of the oldest event that it does not cover, gaps in the numbers and links of the anchors, and heads
 * of the newest anchor that the log no longer holds. `phaseline audit verify` checks everything, including signatures.
 */
const ANCHOR_STATUS = `
  SELECT last.number, extract(epoch FROM clock_timestamp() - last.anchored_at)::float8 * 1000 AS age_ms,
    (SELECT extract(epoch FROM clock_timestamp() - e.recorded_at)::float8 * 1000 FROM phaseline.events AS e
      WHERE e.transaction_id >= coalesce(last.horizon, '0'::xid8) ORDER BY e.transaction_id, e.position LIMIT 1) AS unanchored_ms,
    (SELECT count(*) FROM (
       SELECT number, previous_hash, lag(number) OVER w AS before, lag(hash) OVER w AS link FROM phaseline.anchors
       WINDOW w AS (ORDER BY number)) AS s
      WHERE s.number <> coalesce(s.before, 0) + 1 OR (s.link IS NOT NULL AND s.link <> s.previous_hash)) AS gaps,
    (SELECT count(*) FROM phaseline.anchored_heads AS h
       LEFT JOIN phaseline.events AS e ON e.stream_id = h.stream_id AND e.version = h.version AND e.hash = h.hash
      WHERE h.anchor = last.number AND e.stream_id IS NULL
        AND NOT EXISTS (SELECT FROM phaseline.cold_streams AS c WHERE c.stream_id = h.stream_id)) AS lost
  FROM (SELECT) AS one LEFT JOIN LATERAL (SELECT * FROM phaseline.anchors ORDER BY number DESC LIMIT 1) AS last ON true`;

/** Checks that the anchors are unbroken and up to date, and that the log holds what they cover. */
export const anchors: Check = {
  name: 'anchors',
  needs: ['schema'],
  run: async function* (target) {
    if (!(await hasTable(target, 'anchors'))) return ok('not in this schema');
    const { rows } = await target.pool.query<AnchorStatus>(ANCHOR_STATUS);
    const { number, age_ms: ageMs, unanchored_ms: unanchoredMs, gaps, lost } = rows[0]!;
    if (Number(gaps) > 0)
      yield fail(
        `the chain of anchors is broken in ${pluralise(Number(gaps), 'place')}`,
        'phaseline audit verify shows where',
      );
    if (Number(lost) > 0)
      yield fail(
        `the log does not hold ${pluralise(Number(lost), 'stream head')} that anchor ${number} covers: events were removed or changed`,
        'leave the database unchanged, and run phaseline audit verify',
      );
    if (unanchoredMs !== null && unanchoredMs > target.limits.anchorAgeMs)
      yield warn(
        number === null
          ? `there is no anchor, and the oldest event is ${formatAge(unanchoredMs)} old: the removal of events would not be detected`
          : `the last anchor (${number}) is ${formatAge(ageMs ?? 0)} old and does not cover events of ${formatAge(unanchoredMs)} ago`,
        'phaseline audit anchor',
      );
    return ok(number === null ? 'none yet' : `anchor ${number}, ${formatAge(ageMs ?? 0)} old`);
  },
};

export async function hasTable({ pool }: Pick<DoctorTarget, 'pool'>, table: string): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
    `phaseline.${table}`,
  ]);
  return rows[0]?.there ?? false;
}
