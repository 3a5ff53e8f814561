import { MasterKeys } from '@phaseline/event-store';
import { pluralise } from '../../output/quantities.js';
import { readMasterKeys } from '../../stack/master-key.js';
import { fail, ok, formatList, type Check, type Finding } from '../check.js';
import { describeError } from '../doctor-target.js';
import { hasTable } from './anchors.js';

/** Number of job keys to try per master key. A wrong master key unwraps none of them. */
const SAMPLED_KEYS = 20;

interface WrappedKeys {
  readonly master_key_id: string;
  readonly jobs: string;
  readonly ids: readonly string[];
  readonly wrapped: readonly Buffer[];
}

/** Checks that the keys of encrypted jobs can be unwrapped with the master keys configured here. */
export const encryption: Check = {
  name: 'encryption',
  needs: ['schema'],
  run: async (target) => {
    if (!(await hasTable(target, 'job_keys'))) return ok('not in this schema');
    const { rows } = await target.pool.query<WrappedKeys>(
      `SELECT master_key_id, count(*) AS jobs, (array_agg(correlation_id ORDER BY created_at DESC))[1:${SAMPLED_KEYS}] AS ids,
         (array_agg(wrapped ORDER BY created_at DESC))[1:${SAMPLED_KEYS}] AS wrapped
       FROM phaseline.job_keys WHERE wrapped IS NOT NULL GROUP BY master_key_id ORDER BY master_key_id`,
    );
    if (rows.length === 0) return ok('no job is encrypted, or all are erased');
    let keys: MasterKeys;
    try {
      keys = (await readMasterKeys(target.env, target.home)) ?? MasterKeys.none;
    } catch (error) {
      return fail(
        `the master keys cannot be read: ${describeError(error)}`,
        'correct PHASELINE_MASTER_KEY_FILE (docs/concepts/encryption.md)',
      );
    }
    const findings = rows.flatMap((row) => findProblems(row, keys));
    if (findings.length > 0) return findings;
    const jobs = rows.reduce((sum, row) => sum + Number(row.jobs), 0);
    return ok(`the keys of ${pluralise(jobs, 'encrypted job')} unwrap with ${pluralise(rows.length, 'master key')}`);
  },
};

function findProblems({ master_key_id: masterKeyId, jobs, ids, wrapped }: WrappedKeys, keys: MasterKeys): Finding[] {
  if (!keys.ids.includes(masterKeyId))
    return [
      fail(
        `${pluralise(Number(jobs), 'encrypted job')} cannot be decrypted: the master key ${masterKeyId} is not configured here`,
        'add it to PHASELINE_MASTER_KEY_FILE of every service, after the newest one (docs/concepts/encryption.md)',
      ),
    ];
  const broken = ids.filter((id, index) => {
    try {
      keys.unwrap(id, { wrapped: wrapped[index]!, masterKeyId });
      return false;
    } catch {
      return true;
    }
  });
  if (broken.length === 0) return [];
  return [
    fail(
      `the keys of ${formatList(broken)} do not unwrap with their master key ${masterKeyId}: the rows were changed`,
      'restore the table phaseline.job_keys from a backup',
    ),
  ];
}
