import { parseStreamName } from '@phaseline/domain';
import { checkSnapshots, Snapshots } from '@phaseline/repository';
import { bytes, counted } from '../../output/quantities.js';
import { fail, ok, some, warn, type Check, type Finding } from '../check.js';
import type { Patient } from '../patient.js';
import { hasTable } from './seals.js';

/** Others every time; some tenths of a second. */
const SAMPLE = { snapshots: 20, events: 20_000 };

/**
 * Snapshots of folded streams. A row that does not fit its event is never read, so it only takes up room; one that is not what
 * its stream folds to shows people a job that never was.
 */
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
    return foldedAgain(patient, `${counted(Number(all), 'snapshot')}, ${bytes(Number(size))}`);
  },
};

async function foldedAgain({ pool, store, signal }: Patient, text: string): Promise<Finding> {
  const table = new Snapshots(pool);
  const { checked, problems } = await checkSnapshots(store, table, { sample: SAMPLE, signal });
  if (problems.length === 0) return ok(checked === 0 ? text : `${text}; ${checked} folded again and the same`);
  const places = problems.map(({ streamId, version }) => `${streamId} at version ${version}`);
  return fail(
    `${problems.length} of ${counted(checked, 'snapshot')} that were folded again are not what the log says (${some(places)}): ` +
      'views of the past are wrong where they begin there; the log itself is not touched by it',
    'phaseline audit verify, then phaseline snapshots drop: they are made again when needed',
    async () => {
      const jobIds = new Set(problems.flatMap(({ streamId }) => parseStreamName(streamId)?.jobId ?? []));
      let dropped = 0;
      for (const jobId of jobIds) dropped += await table.drop(jobId);
      return `${counted(dropped, 'snapshot')} of ${counted(jobIds.size, 'job')} deleted; they are made again when needed`;
    },
  );
}
