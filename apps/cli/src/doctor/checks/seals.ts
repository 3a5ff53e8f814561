import { age } from '../../output/quantities.js';
import { fail, ok, warn, type Check, type Finding } from '../check.js';
import type { Patient } from '../patient.js';

interface Newest {
  readonly number: string | null;
  readonly age_ms: number | null;
  readonly unsealed_ms: number | null;
  readonly gaps: string;
  readonly lost: string;
}

/**
 * Gaps in the numbers and links of the seals, and heads of the newest one that the log does not hold any more. A quick look;
 * `phaseline audit verify` checks everything, signatures too.
 */
const NEWEST = `
  SELECT last.number, extract(epoch FROM clock_timestamp() - last.sealed_at)::float8 * 1000 AS age_ms,
    (SELECT extract(epoch FROM clock_timestamp() - e.recorded_at)::float8 * 1000 FROM phaseline.events AS e
      WHERE e.transaction_id >= coalesce(last.horizon, '0'::xid8) ORDER BY e.transaction_id, e.position LIMIT 1) AS unsealed_ms,
    (SELECT count(*) FROM (
       SELECT number, previous_hash, lag(number) OVER w AS before, lag(hash) OVER w AS link FROM phaseline.seals
       WINDOW w AS (ORDER BY number)) AS s
      WHERE s.number <> coalesce(s.before, 0) + 1 OR (s.link IS NOT NULL AND s.link <> s.previous_hash)) AS gaps,
    (SELECT count(*) FROM phaseline.seal_heads AS h
       LEFT JOIN phaseline.events AS e ON e.stream_id = h.stream_id AND e.version = h.version AND e.hash = h.hash
      WHERE h.seal = last.number AND e.stream_id IS NULL) AS lost
  FROM (SELECT) AS one LEFT JOIN LATERAL (SELECT * FROM phaseline.seals ORDER BY number DESC LIMIT 1) AS last ON true`;

/** The seals over the log: unbroken, up to date, and about what is there. */
export const seals: Check = {
  name: 'seals',
  needs: ['schema'],
  run: async (patient) => {
    if (!(await hasTable(patient, 'seals'))) return ok('not in this schema');
    const { rows } = await patient.pool.query<Newest>(NEWEST);
    const { number, age_ms: ageMs, unsealed_ms: unsealedMs, gaps, lost } = rows[0]!;
    const findings: Finding[] = [];
    if (Number(gaps) > 0)
      findings.push(fail(`the chain of seals is broken in ${gaps} places`, 'phaseline audit verify tells where'));
    if (Number(lost) > 0)
      findings.push(
        fail(
          `the log does not hold ${lost} heads that seal ${number} covers: events were cut off or changed`,
          'keep the database as it is, and run phaseline audit verify',
        ),
      );
    if (unsealedMs !== null && unsealedMs > patient.limits.sealMs)
      findings.push(
        warn(
          number === null
            ? `nothing is sealed, and the oldest event is ${age(unsealedMs)} old: what is cut off the log would not be missed`
            : `the last seal (${number}) is ${age(ageMs ?? 0)} old, and events of ${age(unsealedMs)} ago are not sealed`,
          'phaseline audit seal',
        ),
      );
    if (findings.length > 0) return findings;
    return ok(number === null ? 'none yet' : `seal ${number}, ${age(ageMs ?? 0)} old`);
  },
};

export async function hasTable({ pool }: Pick<Patient, 'pool'>, table: string): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
    `phaseline.${table}`,
  ]);
  return rows[0]?.there ?? false;
}
