import type { ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';
import { readCheckpoints } from '../log/log-bounds.js';
import type { ReadModelName } from '../models/read-model.js';
import { replaceJobs } from '../rebuild/build-jobs.js';
import { runInTransaction, withUtcSession } from '../rebuild/session.js';
import { lockVersionsExclusive } from '../tables/locks.js';
import { readActiveVersions } from '../tables/table-versions.js';
import { deleteBehind, findUnderstoodJobs } from './behind-jobs.js';

/** Number of jobs per transaction; few enough to fold while updates of the read models wait. */
const JOBS_PER_TRANSACTION = 40;
const LOCK_TIMEOUT_MS = 3_000;

/**
 * Folds jobs again that are behind because of an event that this release understands, up to the checkpoints of the read
 * models. Returns how many. Throws ReadModelsBehind, ReadModelsAhead and database errors; what was folded before the
 * error is kept.
 */
export async function foldBehindJobs(pool: pg.Pool, cold?: ColdStorage): Promise<number> {
  const waiting = await findUnderstoodJobs(pool);
  for (let done = 0; done < waiting.length; done += JOBS_PER_TRANSACTION) {
    const jobIds = waiting.slice(done, done + JOBS_PER_TRANSACTION);
    await withUtcSession(pool, (client) =>
      runInTransaction(client, 'BEGIN', async () => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        // No other process writes rows or moves a checkpoint until this is committed.
        await lockVersionsExclusive(client);
        const versions = new Map(Object.entries(await readActiveVersions(client)) as [ReadModelName, number][]);
        await deleteBehind(client, jobIds);
        await replaceJobs(client, versions, jobIds, await readCheckpoints(client), cold);
      }),
    );
  }
  return waiting.length;
}
