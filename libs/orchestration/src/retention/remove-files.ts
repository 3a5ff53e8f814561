import { getActorName, type JobId } from '@phaseline/contracts';
import { hasJobEnded, MAX_HASHES_PER_REMOVAL } from '@phaseline/domain';
import { queryRows, runInTransaction, WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import { buildJobAppend, JobRepository } from '@phaseline/repository';
import type pg from 'pg';
import { readReferences } from './read-references.js';
import { isNeededSince, MAX_CONFLICTS } from './removal-conflicts.js';
import { countVectorFiles } from './remove-vectors.js';
import type { RetentionOptions, RetentionOutcome } from './retention-types.js';

/** A process that has just stored content may be about to refer to it. */
const GRACE_MS = 2 * 60 * 60 * 1_000;

/**
 * Removes the files and vectors of an ended job, in commits with the event `FilesRemoved`. Returns `undefined` when the job is running
 * again, or another run finished the removal meanwhile.
 */
export async function removeFiles(
  { store, pool }: { readonly store: EventStore; readonly pool: pg.Pool },
  jobId: JobId,
  afterDays: number,
  options: RetentionOptions,
): Promise<RetentionOutcome | undefined> {
  const { dryRun = false, hashesPerEvent = MAX_HASHES_PER_REMOVAL, graceMs = GRACE_MS, actor, now } = options;
  const grace = `${graceMs} milliseconds`;
  let [files, bytes, conflicts] = [0, 0, 0];
  for (;;) {
    options.signal?.throwIfAborted();
    // The state is loaded before the files are listed: the append fails if a hold or another run came in between.
    const job = await new JobRepository(store).loadJob(jobId);
    if (!job || !hasJobEnded(job) || job.erased || job.filesRemoved?.hasMore === false)
      return files > 0 ? { kind: 'removed', files, bytes } : undefined;
    if (job.hold) return { kind: 'kept', reason: 'held' };
    if (await hasFork(pool, jobId)) return { kind: 'kept', reason: 'forked' };
    const found = await listRemovable(pool, jobId, grace, dryRun ? undefined : hashesPerEvent + 1);
    const batch = dryRun ? found : found.slice(0, hashesPerEvent);
    const batchBytes = batch.reduce((sum, { size }) => sum + size, 0);
    const kept = await countKept(pool, jobId, grace);
    // Content that was stored recently is removed by a later run, so the removal has not finished.
    const hasMore = found.length > batch.length || kept.recentlyStored > 0;
    if (batch.length === 0 && (hasMore || dryRun)) {
      if (files > 0) return { kind: 'removed', files, bytes };
      return hasMore
        ? { kind: 'kept', reason: 'recently-stored' }
        : { kind: 'released', neededElsewhere: kept.neededElsewhere };
    }
    if (dryRun) return { kind: 'removed', files: batch.length, bytes: batchBytes };
    const data = {
      actor: getActorName(actor),
      removedAt: now.toISOString(),
      hashes: batch.map(({ hash }) => hash),
      bytes: batchBytes,
      vectorFiles: hasMore ? 0 : await countVectorFiles(pool, jobId),
      afterDays,
      hasMore,
    };
    const append = buildJobAppend(jobId, job.version, [{ type: 'FilesRemoved', data }], { actor });
    try {
      await runInTransaction(pool, async (client) => {
        await store.appendWithin(client, append);
        await client.query('SELECT phaseline.remove_files($1, $2)', [jobId, grace]);
      });
    } catch (error) {
      if (!isNeededSince(error) && !(error instanceof WrongExpectedVersion)) throw error;
      conflicts += 1;
      if (conflicts > MAX_CONFLICTS) return { kind: 'kept', reason: 'changing' };
      await readReferences(pool, options.signal);
      continue;
    }
    files += batch.length;
    bytes += batchBytes;
    if (!hasMore)
      return files > 0
        ? { kind: 'removed', files, bytes }
        : { kind: 'released', neededElsewhere: kept.neededElsewhere };
  }
}

async function hasFork(pool: pg.Pool, jobId: JobId): Promise<boolean> {
  const rows = await queryRows(pool, {
    text: `SELECT 1 FROM phaseline.events AS e WHERE e.type = 'JobForked' AND e.data -> 'parent' ->> 'jobId' = $1
      AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = e.correlation_id) LIMIT 1`,
    values: [jobId],
  });
  return rows.length > 0;
}

async function listRemovable(
  pool: pg.Pool,
  jobId: JobId,
  grace: string,
  limit: number | undefined,
): Promise<readonly { readonly hash: string; readonly size: number }[]> {
  const rows = await queryRows<{ hash: string; size: string }>(pool, {
    text: `SELECT encode(hash, 'hex') AS hash, size FROM phaseline.removable_files($1, $2, $3)`,
    values: [jobId, grace, limit ?? null],
  });
  return rows.map(({ hash, size }) => ({ hash, size: Number(size) }));
}

async function countKept(
  pool: pg.Pool,
  jobId: JobId,
  grace: string,
): Promise<{ readonly neededElsewhere: number; readonly recentlyStored: number }> {
  const [row] = await queryRows<{ needed_elsewhere: string; recently_stored: string }>(pool, {
    text: 'SELECT needed_elsewhere, recently_stored FROM phaseline.count_kept_files($1, $2)',
    values: [jobId, grace],
  });
  return { neededElsewhere: Number(row?.needed_elsewhere), recentlyStored: Number(row?.recently_stored) };
}
