import { isUnreachable, throwDatabaseError, type EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import type { ColdMover } from '../cold-storage/move-due-jobs.js';
import { RetentionRuns, type OpenRun } from './retention-runs.js';
import { Retention } from './retention.js';

/** Key of the advisory lock of the process that executes runs. The value is arbitrary, but must be the same in every release. */
const RUN_LOCK = 7_406_318_270;

export interface ExecuteOptions {
  /** Moves jobs to cold storage; without it, runs fail where a tenant wants that. */
  readonly mover?: ColdMover | undefined;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** How a run ended: its failure is undefined if it did everything. */
export interface ExecutedRun extends OpenRun {
  readonly failure: string | undefined;
}

/**
 * Executes the oldest run that was requested and has not ended. Returns `busy` if another process executes one, and undefined if there is
 * nothing to do. The lock is bound to a connection: after a crash another process takes it, and continues the run. Throws
 * DatabaseUnreachable, and the reason of the signal; the run is continued later in both cases.
 */
export async function executeNextRun(
  store: EventStore,
  pool: pg.Pool,
  options: ExecuteOptions,
): Promise<ExecutedRun | 'busy' | undefined> {
  const runs = new RetentionRuns(pool);
  if (!(await runs.findOpen())) return undefined;
  const connection = await pool.connect().catch(throwDatabaseError);
  let isLost = false;
  const noteLoss = (): void => void (isLost = true);
  connection.on('error', noteLoss);
  try {
    const lock = `SELECT pg_try_advisory_lock(${RUN_LOCK}) AS locked`;
    const { rows } = await connection.query<{ locked: boolean }>(lock).catch(throwDatabaseError);
    if (!rows[0]?.locked) return 'busy';
    // The one that was found before may have ended while another process held the lock.
    const run = await runs.findOpen();
    const ended = run && (await execute(run, { store, pool, runs, options, isLost: () => isLost }));
    // A busy server notices later that a connection was closed: the search for the next run would find the lock taken.
    await connection.query(`SELECT pg_advisory_unlock(${RUN_LOCK})`).catch(() => undefined);
    return ended;
  } finally {
    connection.off('error', noteLoss);
    // Closing the connection releases the lock also if the connection is in an unknown state.
    connection.release(true);
  }
}

interface ExecuteParts {
  readonly store: EventStore;
  readonly pool: pg.Pool;
  readonly runs: RetentionRuns;
  readonly options: ExecuteOptions;
  /** Whether the connection broke that holds the lock, so that another process may execute the run. */
  readonly isLost: () => boolean;
}

async function execute(
  { runId, actor, tenants, dryRun }: OpenRun,
  { store, pool, runs, options: { now, signal, mover }, isLost }: ExecuteParts,
): Promise<ExecutedRun | undefined> {
  await runs.recordStart(runId);
  let failure: string | undefined;
  try {
    const selected = tenants === 'all' ? {} : { tenants };
    for await (const result of new Retention(store, pool, mover).run({
      actor,
      now: now(),
      dryRun,
      signal,
      ...selected,
    })) {
      await runs.recordResult(runId, result);
      // Removing twice is impossible, so nothing is lost if both processes continue until here.
      if (isLost()) return undefined;
    }
  } catch (error) {
    if (signal.aborted || isUnreachable(error)) throw error;
    failure = error instanceof Error ? error.message : String(error);
  }
  await runs.recordEnd(runId, failure);
  return { runId, actor, tenants, dryRun, failure };
}
