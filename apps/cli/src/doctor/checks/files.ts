import { pluralise } from '../../output/quantities.js';
import { fail, ok, type Check } from '../check.js';

interface FileCounts {
  readonly named: string;
  readonly missing: string;
}

/** Number of events to check: covers the files of about a day's jobs and takes a fraction of a second. */
const NEWEST_EVENTS = 20_000;

/**
 * Counts the files that the newest events name, and those among them that are not stored. Matches the data as text, because
 * PostgreSQL cannot parse some JSON that a service may append, such as text with a NUL.
 */
const NAMED = `
  WITH newest AS (
    SELECT e.type, e.correlation_id, e.data FROM phaseline.events AS e ORDER BY e.transaction_id DESC, e.position DESC LIMIT $1
  ), named AS (
    SELECT DISTINCT decode(substring(n.data::text FROM '"hash":"([0-9a-f]{64})"'), 'hex') AS hash FROM newest AS n
    WHERE n.type = 'FileWritten' AND NOT phaseline.is_encrypted_job(n.correlation_id) AND n.data::text ~ '"hash":"[0-9a-f]{64}"'
  )
  SELECT count(*) AS named, count(*) FILTER (
    WHERE NOT EXISTS (SELECT FROM phaseline.blobs AS b WHERE b.hash = n.hash)
      AND NOT EXISTS (SELECT FROM phaseline.blob_manifests AS m WHERE m.hash = n.hash)) AS missing
  FROM named AS n`;

/** Checks that the files named by the newest events are stored. `phaseline audit verify` checks all files and their content. */
export const files: Check = {
  name: 'files',
  needs: ['schema'],
  run: async ({ pool }) => {
    const { rows } = await pool.query<FileCounts>(NAMED, [NEWEST_EVENTS]);
    const { named, missing } = rows[0]!;
    if (Number(missing) > 0)
      return fail(
        `${missing} of ${pluralise(Number(named), 'file')} named by the newest events are not stored`,
        'list them with phaseline audit verify, and restore them from a backup',
      );
    return ok(
      Number(named) === 0
        ? 'the newest events refer to no files'
        : `${pluralise(Number(named), 'file')} of the newest events are stored; audit verify checks all files and their content`,
    );
  },
};
