import { parseStreamName } from '@phaseline/domain';
import { checkSnapshots, Snapshots } from '@phaseline/repository';
import { formatBytes, pluralise } from '../../output/quantities.js';
import { fail, ok, formatList, warn, type Check, type Finding } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';
import { hasTable } from './anchors.js';

/** Size of the random sample that is folded again; takes a few tenths of a second. */
const SAMPLE = { snapshots: 20, events: 20_000 };

/**
 * Checks the snapshots of folded streams. A snapshot whose hash does not match its event is never read and only wastes space. One that
 * differs from the fold of its stream would show a wrong past state.
 */
export const snapshots: Check = {
  name: 'snapshots',
  needs: ['schema'],
  run: async (target) => {
    if (!(await hasTable(target, 'snapshots'))) return ok('not in this schema');
    const { rows } = await target.pool.query<{ all: string; misfits: string; size: string }>(
      `SELECT count(*) AS all, count(*) FILTER (WHERE e.hash IS DISTINCT FROM s.hash
                AND NOT EXISTS (SELECT FROM phaseline.cold_streams AS c WHERE c.stream_id = s.stream_id)) AS misfits,
              pg_total_relation_size('phaseline.snapshots') AS size
         FROM phaseline.snapshots AS s
         LEFT JOIN phaseline.events AS e ON e.stream_id = s.stream_id AND e.version = s.version`,
    );
    const { all, misfits, size } = rows[0]!;
    if (Number(misfits) > 0)
      return warn(
        `${misfits} of ${pluralise(Number(all), 'snapshot')} do not match an event in the log`,
        'phaseline audit verify; then TRUNCATE phaseline.snapshots as the owner: snapshots are recreated when needed',
      );
    return checkSample(target, `${pluralise(Number(all), 'snapshot')}, ${formatBytes(Number(size))}`);
  },
};

async function checkSample({ pool, store, signal }: DoctorTarget, text: string): Promise<Finding> {
  const table = new Snapshots(pool);
  const { checked, problems } = await checkSnapshots(store, table, { sample: SAMPLE, signal });
  if (problems.length === 0) return ok(checked === 0 ? text : `${text}; ${checked} verified against the log`);
  const places = problems.map(({ streamId, version }) => `${streamId} at version ${version}`);
  return fail(
    `${problems.length} of ${pluralise(checked, 'sampled snapshot')} differ from the log (${formatList(places)}): ` +
      'past states read from them are wrong; the log itself is not affected',
    'phaseline audit verify, then phaseline snapshots delete: snapshots are recreated when needed',
    async () => {
      const jobIds = new Set(problems.flatMap(({ streamId }) => parseStreamName(streamId)?.jobId ?? []));
      let dropped = 0;
      for (const jobId of jobIds) dropped += await table.deleteAll(jobId);
      return `${pluralise(dropped, 'snapshot')} of ${pluralise(jobIds.size, 'job')} deleted; they are recreated when needed`;
    },
  );
}
