import { bytes, counted } from '../../output/quantities.js';
import { ok, warn, type Check } from '../check.js';
import { hasTable } from './seals.js';

/** Snapshots of folded streams. A row that does not fit its event is never read, so it only takes up room. */
export const snapshots: Check = {
  name: 'snapshots',
  needs: ['schema'],
  run: async (patient) => {
    if (!(await hasTable(patient, 'snapshots'))) return ok('not in this schema');
    const { rows } = await patient.pool.query<{ all: string; misfits: string; size: string }>(
      `SELECT count(*) AS all, count(*) FILTER (WHERE e.hash IS DISTINCT FROM s.hash) AS misfits,
              pg_total_relation_size('phaseline.snapshots') AS size
         FROM phaseline.snapshots AS s
         LEFT JOIN phaseline.events AS e ON e.stream_id = s.stream_id AND e.version = s.version`,
    );
    const { all, misfits, size } = rows[0]!;
    if (Number(misfits) > 0)
      return warn(
        `${misfits} of ${counted(Number(all), 'snapshot')} are about events that the log does not hold so`,
        'phaseline audit verify; then TRUNCATE phaseline.snapshots as the owner: they are made again when needed',
      );
    return ok(`${counted(Number(all), 'snapshot')}, ${bytes(Number(size))}`);
  },
};
