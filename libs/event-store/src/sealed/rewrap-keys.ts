import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import type { MasterKeys } from './master-keys.js';
import { MasterKeyMissing } from './sealed-errors.js';

export interface RewrappedKeys {
  /** Wrapped with the newest master key now, and not before. */
  readonly rewrapped: number;
  /** Jobs whose keys could not be opened, by the master key that is not here. */
  readonly left: Readonly<Record<string, number>>;
}

const KEYS_AT_ONCE = 200;

/**
 * Wraps the keys of all jobs with the newest master key, so that the older ones can be destroyed. Safe beside running services
 * that have both; what was done until an error stays done. Throws MasterKeyMissing where there is none at all, SealBroken,
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
  try {
    for (let after = ''; ;) {
      signal?.throwIfAborted();
      const { rows } = await pool.query<{ correlation_id: string; wrapped: Buffer; master_key_id: string }>(
        `SELECT correlation_id, wrapped, master_key_id FROM phaseline.job_keys
         WHERE wrapped IS NOT NULL AND master_key_id <> $1 AND correlation_id > $2 ORDER BY correlation_id LIMIT $3`,
        [newest, after, KEYS_AT_ONCE],
      );
      for (const { correlation_id: id, wrapped, master_key_id: masterKeyId } of rows) {
        if (!masterKeys.ids.includes(masterKeyId)) {
          left[masterKeyId] = (left[masterKeyId] ?? 0) + 1;
          continue;
        }
        const again = masterKeys.wrap(id, masterKeys.unwrap(id, { wrapped, masterKeyId }));
        const { rows: done } = await pool.query<{ done: boolean }>(
          'SELECT phaseline.rewrap_job_key($1, $2, $3, $4) AS done',
          [id, wrapped, again.wrapped, again.masterKeyId],
        );
        // Erased meanwhile, or done by somebody else.
        if (done[0]?.done) rewrapped += 1;
      }
      const last = rows.at(-1);
      if (!last) return { rewrapped, left };
      after = last.correlation_id;
    }
  } catch (error) {
    throw mapDatabaseError(error);
  }
}
