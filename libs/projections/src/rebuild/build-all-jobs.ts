import type pg from 'pg';
import type { LogBounds } from '../log/log-bounds.js';
import { countJobs, jobIdsAfter } from '../log/read-jobs.js';
import { buildJobs, type BuiltVersions } from './build-jobs.js';
import { inTransaction, inUtc } from './session.js';

export interface BuildProgress {
  readonly jobs: number;
  readonly ofJobs: number;
  /** Events that were folded. */
  readonly events: number;
}

/**
 * Jobs folded in one go: some ten thousand events, a fraction of a second. Their rows are one commit, so that no transaction
 * stays open for long: an open one holds back every tail of the log.
 */
const CHUNK = 200;
/** While one waits for the database another one folds. More gained nothing on two processors. */
const LANES = 3;

/** Fills the tables with the jobs that there are, each from its beginning up to the bounds. */
export async function buildAllJobs(
  pool: pg.Pool,
  versions: BuiltVersions,
  bounds: LogBounds,
  options: {
    readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<BuildProgress> {
  const { onProgress, signal } = options;
  const ofJobs = await inUtc(pool, countJobs);
  const done = { jobs: 0, ofJobs, events: 0 };
  let last = '';
  let turn: Promise<unknown> = Promise.resolve();
  /** One after the other: each page begins behind the one before. */
  const nextPage = (client: pg.PoolClient): Promise<string[]> => {
    const page = turn.then(async () => {
      const ids = await jobIdsAfter(client, last, CHUNK);
      last = ids.at(-1) ?? last;
      return ids;
    });
    turn = page.catch(() => undefined);
    return page;
  };
  const lane = (): Promise<void> =>
    inUtc(pool, async (client) => {
      for (;;) {
        signal?.throwIfAborted();
        const ids = await nextPage(client);
        if (ids.length === 0) return;
        const events = await buildJobs(client, versions, ids, bounds, (use) => inTransaction(client, 'BEGIN', use));
        done.jobs += ids.length;
        done.events += events;
        onProgress?.({ ...done, ofJobs: Math.max(done.ofJobs, done.jobs) });
      }
    });
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason;
  return { ...done };
}
