import { getActorName, type JobId } from '@phaseline/contracts';
import { hasJobEnded } from '@phaseline/domain';
import { queryRows, runInTransaction, WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import { buildJobAppend, JobRepository } from '@phaseline/repository';
import type pg from 'pg';
import { isNeededSince, MAX_CONFLICTS } from './removal-conflicts.js';
import type { RetentionOptions, RetentionOutcome } from './retention-types.js';

/**
 * Removes the vectors of an ended job, in one commit with the event `VectorsRemoved`. Returns `undefined` if the job has none, or is
 * running again.
 */
export async function removeVectors(
  { store, pool }: { readonly store: EventStore; readonly pool: pg.Pool },
  jobId: JobId,
  afterDays: number,
  { actor, now, dryRun = false, signal }: RetentionOptions,
): Promise<RetentionOutcome | undefined> {
  for (let conflicts = 0; conflicts <= MAX_CONFLICTS; conflicts += 1) {
    signal?.throwIfAborted();
    // The state is loaded before the vectors are counted: the append fails if a hold or a retry came in between.
    const job = await new JobRepository(store).loadJob(jobId);
    if (!job || !hasJobEnded(job) || job.erased) return undefined;
    const vectorFiles = await countVectorFiles(pool, jobId);
    if (vectorFiles === 0) return undefined;
    if (job.hold) return { kind: 'kept', reason: 'held' };
    if (dryRun) return { kind: 'vectors-removed', vectorFiles };
    const data = { actor: getActorName(actor), removedAt: now.toISOString(), vectorFiles, afterDays };
    const append = buildJobAppend(jobId, job.version, [{ type: 'VectorsRemoved', data }], { actor });
    try {
      await runInTransaction(pool, async (client) => {
        await store.appendWithin(client, append);
        await client.query('SELECT phaseline.remove_vectors($1)', [jobId]);
      });
      return { kind: 'vectors-removed', vectorFiles };
    } catch (error) {
      if (!isNeededSince(error) && !(error instanceof WrongExpectedVersion)) throw error;
    }
  }
  return { kind: 'kept', reason: 'changing' };
}

/** Returns the number of files of a job that are indexed for semantic search. */
export async function countVectorFiles(pool: pg.Pool, jobId: JobId): Promise<number> {
  const text = 'SELECT count(*)::int AS files FROM phaseline.vector_files WHERE job_id = $1';
  const [row] = await queryRows<{ files: number }>(pool, { text, values: [jobId] });
  return row?.files ?? 0;
}
