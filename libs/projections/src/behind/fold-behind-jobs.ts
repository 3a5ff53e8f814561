import type pg from 'pg';
import { checkpoints } from '../log/log-bounds.js';
import type { ReadModelName } from '../models/read-model.js';
import { replaceJobs } from '../rebuild/build-jobs.js';
import { inTransaction, inUtc } from '../rebuild/session.js';
import { changeVersions } from '../tables/locks.js';
import { activeVersions } from '../tables/table-versions.js';
import { behindJobs, forgetBehind, readableAgain, understands } from './behind-jobs.js';

/** Few enough to fold while the read models stand still. */
const JOBS_AT_ONCE = 40;
const LOCK_TIMEOUT_MS = 3_000;

/**
 * Folds the jobs anew that another release left standing before an event which this one understands, up to where the read
 * models are. Returns how many. Throws ReadModelsBehind and ReadModelsAhead, and the database's errors; what was folded
 * until then stays.
 */
export async function foldBehindJobs(pool: pg.Pool): Promise<number> {
  const noted = [...(await behindJobs(pool)).values()];
  const waiting = [...noted.filter(understands), ...(await readableAgain(pool, noted))].map(({ jobId }) => jobId);
  for (let done = 0; done < waiting.length; done += JOBS_AT_ONCE) {
    const jobIds = waiting.slice(done, done + JOBS_AT_ONCE);
    await inUtc(pool, (client) =>
      inTransaction(client, 'BEGIN', async () => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        // Nobody writes rows or moves a checkpoint until this is committed.
        await changeVersions(client);
        const versions = new Map(Object.entries(await activeVersions(client)) as [ReadModelName, number][]);
        await forgetBehind(client, jobIds);
        await replaceJobs(client, versions, jobIds, await checkpoints(client));
      }),
    );
  }
  return waiting.length;
}
