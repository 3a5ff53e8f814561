import type { JobId } from '@phaseline/contracts';
import { isArchiveUnreadable, sqlState, type ArchiveStore, type EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import { listDueJobs } from '../retention/due-jobs.js';
import type { RetentionSetting } from '../retention/retention-settings.js';
import type { RetentionOptions, RetentionResult } from '../retention/retention-types.js';
import { ColdMoveImpossible } from './cold-move-impossible.js';
import { moveJob, type MoveOutcome } from './move-job.js';

/** What moves jobs to cold storage. */
export interface ColdMover {
  readonly archives: ArchiveStore;
  /** Connections of a login that is a member of phaseline_service and of phaseline_archivist. */
  readonly pool: pg.Pool;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const INSUFFICIENT_PRIVILEGE = '42501';

/** The parts of a run of retention. */
interface MoveDueParts {
  readonly store: EventStore;
  readonly pool: pg.Pool;
  readonly mover?: ColdMover | undefined;
}

/**
 * Moves the jobs to cold storage that ended as many days ago as their tenants set. Yields the outcome for each. A job whose archive is not
 * what was stored does not hold up the others, but the run fails in the end. Throws ColdMoveImpossible, and errors of the storage.
 */
export async function* moveDueJobs(
  { store, pool, mover }: MoveDueParts,
  settings: readonly RetentionSetting[],
  options: RetentionOptions,
): AsyncGenerator<RetentionResult, void, undefined> {
  let failure: Error | undefined;
  for (const { tenant, coldDays } of settings) {
    if (coldDays === null) continue;
    const endedUntil = new Date(options.now.getTime() - coldDays * DAY_MS);
    for await (const { jobId } of listDueJobs(pool, { tenant, endedUntil, candidates: 'cold_candidates' })) {
      options.signal?.throwIfAborted();
      if (!mover)
        throw new ColdMoveImpossible('set PHASELINE_COLD_STORAGE of the orchestrators to where archives belong');
      const outcome = await tryMove({ ...mover, store }, jobId, { ...options, afterDays: coldDays });
      if (outcome instanceof Error) {
        failure ??= outcome;
        yield { jobId, tenant, outcome: { kind: 'not-moved', reason: 'archive-unreadable' } };
      } else if (outcome.kind === 'moved') {
        yield { jobId, tenant, outcome: { kind: 'moved', events: outcome.events, archiveBytes: outcome.bytes } };
      } else if (!HAS_NOTHING_TO_MOVE.has(outcome.reason)) {
        yield { jobId, tenant, outcome: { kind: 'not-moved', reason: outcome.reason } };
      }
    }
  }
  if (failure) throw failure;
}

/** The job changed since it was listed, so it is not due. */
const HAS_NOTHING_TO_MOVE: ReadonlySet<string> = new Set(['running', 'erased', 'empty']);

async function tryMove(
  parts: Parameters<typeof moveJob>[0],
  jobId: JobId,
  options: Parameters<typeof moveJob>[2],
): Promise<MoveOutcome | Error> {
  try {
    return await moveJob(parts, jobId, options);
  } catch (error) {
    if (isArchiveUnreadable(error)) return error;
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new ColdMoveImpossible(
      'set PHASELINE_ARCHIVIST_URL of the orchestrators to a login that is a member of phaseline_service and of phaseline_archivist',
    );
  }
}
