import { MasterKeys } from '@phaseline/event-store';
import { counted } from '../../output/quantities.js';
import { knownMasterKeys } from '../../stack/master-key.js';
import { fail, ok, some, type Check, type Finding } from '../check.js';
import { reasonOf } from '../patient.js';
import { hasTable } from './seals.js';

/** Keys that are tried of each master key: a wrong one opens none. */
const SAMPLE = 20;

interface Wrapped {
  readonly master_key_id: string;
  readonly jobs: string;
  readonly ids: readonly string[];
  readonly wrapped: readonly Buffer[];
}

/** Whether the keys of encrypted jobs open with the master keys that are configured here. */
export const encryption: Check = {
  name: 'encryption',
  needs: ['schema'],
  run: async (patient) => {
    if (!(await hasTable(patient, 'job_keys'))) return ok('not in this schema');
    const { rows } = await patient.pool.query<Wrapped>(
      `SELECT master_key_id, count(*) AS jobs, (array_agg(correlation_id ORDER BY created_at DESC))[1:${SAMPLE}] AS ids,
         (array_agg(wrapped ORDER BY created_at DESC))[1:${SAMPLE}] AS wrapped
       FROM phaseline.job_keys WHERE wrapped IS NOT NULL GROUP BY master_key_id ORDER BY master_key_id`,
    );
    if (rows.length === 0) return ok('no job is encrypted, or all are erased');
    let keys: MasterKeys;
    try {
      keys = (await knownMasterKeys(patient.env, patient.home)) ?? MasterKeys.none;
    } catch (error) {
      return fail(
        `the master keys cannot be read: ${reasonOf(error)}`,
        'correct PHASELINE_MASTER_KEY_FILE (docs/encryption.md)',
      );
    }
    const findings = rows.flatMap((row) => problemsOf(row, keys));
    if (findings.length > 0) return findings;
    const jobs = rows.reduce((sum, row) => sum + Number(row.jobs), 0);
    return ok(`the keys of ${counted(jobs, 'encrypted job')} open with ${counted(rows.length, 'master key')}`);
  },
};

function problemsOf({ master_key_id: masterKeyId, jobs, ids, wrapped }: Wrapped, keys: MasterKeys): Finding[] {
  if (!keys.ids.includes(masterKeyId))
    return [
      fail(
        `${counted(Number(jobs), 'encrypted job')} cannot be opened: the master key ${masterKeyId} is not configured here`,
        'add it to PHASELINE_MASTER_KEY_FILE of every service, behind the newest one (docs/encryption.md)',
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
      `the keys of ${some(broken)} do not open with their master key ${masterKeyId}: the rows were changed`,
      'restore the table phaseline.job_keys from a backup',
    ),
  ];
}
