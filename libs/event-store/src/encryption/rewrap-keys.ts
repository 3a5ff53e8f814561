import type { JobId } from '@phaseline/contracts';
import type pg from 'pg';
import { queryRows } from '../database/query-rows.js';
import type { MasterKeys } from './master-keys.js';
import { MasterKeyMissing } from './encryption-errors.js';

export interface RewrappedKeys {
  /** Number of keys that were wrapped again with the newest master key. */
  readonly rewrapped: number;
  /** Number of keys that could not be unwrapped, by the id of the missing master key. */
  readonly skippedByMasterKey: Readonly<Record<string, number>>;
}

const KEYS_PER_QUERY = 200;

/**
 * Wraps the keys of all jobs with the newest master key, so that older master keys can be destroyed. Safe while services that have both
 * keys are running. Work done before an error is kept. Throws MasterKeyMissing if there is no master key, DecryptionFailed,
 * DatabaseUnreachable and the signal's reason.
 */
export async function rewrapKeys(
  pool: pg.Pool,
  masterKeys: MasterKeys,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<RewrappedKeys> {
  const [newest] = masterKeys.ids;
  if (newest === undefined) throw new MasterKeyMissing('any');
  const left: Record<string, number> = {};
  let rewrapped = 0;
  for (let after = ''; ;) {
    signal?.throwIfAborted();
    const rows = await queryRows<{ correlation_id: JobId; wrapped: Buffer; master_key_id: string }>(pool, {
      text: `SELECT correlation_id, wrapped, master_key_id FROM phaseline.job_keys
       WHERE wrapped IS NOT NULL AND master_key_id <> $1 AND correlation_id > $2 ORDER BY correlation_id LIMIT $3`,
      values: [newest, after, KEYS_PER_QUERY],
    });
    for (const { correlation_id: id, wrapped, master_key_id: masterKeyId } of rows) {
      if (!masterKeys.ids.includes(masterKeyId)) {
        left[masterKeyId] = (left[masterKeyId] ?? 0) + 1;
        continue;
      }
      const newKey = masterKeys.wrap(id, masterKeys.unwrap(id, { wrapped, masterKeyId }));
      const [result] = await queryRows<{ done: boolean }>(pool, {
        text: 'SELECT phaseline.rewrap_job_key($1, $2, $3, $4) AS done',
        values: [id, wrapped, newKey.wrapped, newKey.masterKeyId],
      });
      // Not done if the key was erased or rewrapped concurrently.
      if (result?.done) rewrapped += 1;
    }
    const last = rows.at(-1);
    if (!last) return { rewrapped, skippedByMasterKey: left };
    after = last.correlation_id;
  }
}
