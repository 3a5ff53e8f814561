import { EventStore, MasterKeys } from '@phaseline/event-store';
import { compareSecrets, SecretStore } from '@phaseline/identity';
import { readMasterKeys } from '../../stack/master-key.js';
import { fail, ok, type Check } from '../check.js';
import { hasTable } from './anchors.js';

/** Checks that the table of secrets equals the log, and that its values can be decrypted with the master keys configured here. */
export const secrets: Check = {
  name: 'secrets',
  needs: ['schema'],
  run: async (target) => {
    const { pool } = target;
    if (!(await hasTable(target, 'secrets'))) return ok('not in this schema');
    // Master keys that cannot be read are reported by the check of encryption.
    const keys = (await readMasterKeys(target.env, target.home).catch(() => undefined)) ?? MasterKeys.none;
    const unreadable = await new SecretStore(pool, new EventStore(pool), keys).findUnreadable();
    const findings = [
      ...(await compareSecrets(pool)).map((difference) =>
        fail(
          `the table of secrets differs from the log: ${difference}`,
          'store or remove the secret with phaseline secrets',
        ),
      ),
      ...unreadable.map((secret) =>
        fail(
          `the secret ${secret} cannot be decrypted with the master keys configured here`,
          'add the older master key to PHASELINE_MASTER_KEY_FILE of every service, or store the secret again',
        ),
      ),
    ];
    return findings.length > 0 ? findings : ok('all secrets can be decrypted and equal the log');
  },
};
