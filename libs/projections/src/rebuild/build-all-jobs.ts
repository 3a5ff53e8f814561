import type { JobId } from '@phaseline/contracts';
import type { ColdStorage } from '@phaseline/event-store';
import type pg from 'pg';
import type { LogBounds } from '../log/log-bounds.js';
import { countJobs, readJobIdsAfter } from '../log/read-jobs.js';
import { buildJobs, type BuiltVersions } from './build-jobs.js';
import { runInTransaction, withUtcSession } from './session.js';

export interface BuildProgress {
  readonly jobs: number;
  readonly ofJobs: number;
  /** Number of events folded. */
  readonly events: number;
}

/**
 * Number of jobs per transaction: about ten thousand events, a fraction of a second. No transaction stays open for
 * long, because an open one delays every tail of the log.
 */
const JOBS_PER_TRANSACTION = 200;
/**
 * Number of concurrent builders: one folds while another waits for the database. More gained nothing on two processors.
 */
const BUILDERS = 3;

/** Fills the tables with all jobs, each from its first event up to the bounds. */
export async function buildAllJobs(
  pool: pg.Pool,
  versions: BuiltVersions,
  bounds: LogBounds,
  options: {
    readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly cold?: ColdStorage | undefined;
  } = {},
): Promise<BuildProgress> {
  const { onProgress, signal, cold } = options;
  const ofJobs = await withUtcSession(pool, countJobs);
  const progress = { jobs: 0, ofJobs, events: 0 };
  let lastId: JobId = '';
  let turn: Promise<unknown> = Promise.resolve();
  /** Pages are fetched one after another, because each starts after the previous one. */
  const nextPage = (client: pg.PoolClient): Promise<JobId[]> => {
    const page = turn.then(async () => {
      const ids = await readJobIdsAfter(client, lastId, JOBS_PER_TRANSACTION);
      lastId = ids.at(-1) ?? lastId;
      return ids;
    });
    turn = page.catch(() => undefined);
    return page;
  };
  const build = (): Promise<void> =>
    withUtcSession(pool, async (client) => {
      for (;;) {
        signal?.throwIfAborted();
        const ids = await nextPage(client);
        if (ids.length === 0) return;
        const events = await buildJobs(client, versions, ids, bounds, cold, (use) =>
          runInTransaction(client, 'BEGIN', use),
        );
        progress.jobs += ids.length;
        progress.events += events;
        onProgress?.({ ...progress, ofJobs: Math.max(progress.ofJobs, progress.jobs) });
      }
    });
  const builders = await Promise.allSettled(Array.from({ length: BUILDERS }, build));
  for (const outcome of builders) if (outcome.status === 'rejected') throw outcome.reason;
  return { ...progress };
}
