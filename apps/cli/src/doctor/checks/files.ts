import { counted } from '../../output/quantities.js';
import { fail, ok, type Check } from '../check.js';

interface Found {
  readonly named: string;
  readonly missing: string;
}

/** Events that are looked at: enough for the files of the jobs of the day, and a fraction of a second. */
const NEWEST_EVENTS = 20_000;

/**
 * Whether the files that the newest events name are stored. By the text of the data: a service could have appended one that PostgreSQL
 * does not take apart, such as one with a NUL.
 */
const NAMED = `
  WITH newest AS (
    SELECT e.type, e.correlation_id, e.data FROM phaseline.events AS e ORDER BY e.transaction_id DESC, e.position DESC LIMIT $1
  ), named AS (
    SELECT DISTINCT decode(substring(n.data::text FROM '"hash":"([0-9a-f]{64})"'), 'hex') AS hash FROM newest AS n
    WHERE n.type = 'FileWritten' AND NOT phaseline.is_sealed_job(n.correlation_id) AND n.data::text ~ '"hash":"[0-9a-f]{64}"'
  )
  SELECT count(*) AS named, count(*) FILTER (
    WHERE NOT EXISTS (SELECT FROM phaseline.blobs AS b WHERE b.hash = n.hash)
      AND NOT EXISTS (SELECT FROM phaseline.blob_manifests AS m WHERE m.hash = n.hash)) AS missing
  FROM named AS n`;

/** Files that events name and that are not stored: a quick check of the newest; `phaseline audit verify` checks all, and their content. */
export const files: Check = {
  name: 'files',
  needs: ['schema'],
  run: async ({ pool }) => {
    const { rows } = await pool.query<Found>(NAMED, [NEWEST_EVENTS]);
    const { named, missing } = rows[0]!;
    if (Number(missing) > 0)
      return fail(
        `${missing} of ${counted(Number(named), 'file')} that the newest events name are not stored`,
        'phaseline audit verify names them; restore them from a backup',
      );
    return ok(
      Number(named) === 0
        ? 'none named lately'
        : `${counted(Number(named), 'file')} of the newest events are stored; audit verify checks all and their content`,
    );
  },
};
