import { getActorName, type JobId } from '@phaseline/contracts';
import { hasJobEnded, isEncryptedJob, MAX_HASHES_PER_REMOVAL, type JobState } from '@phaseline/domain';
import { queryRows, runInTransaction, WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import { buildJobAppend, JobRepository } from '@phaseline/repository';
import type pg from 'pg';
import { isNeededSince, MAX_CONFLICTS } from './removal-conflicts.js';
import { countVectorFiles, removeVectors } from './remove-vectors.js';
import { readRetentionSettings, type RetentionDays } from './retention-settings.js';
import type { RetentionOptions, RetentionOutcome, RetentionResult } from './retention-types.js';

/** A process that has just stored content may be about to refer to it. */
const GRACE_MS = 2 * 60 * 60 * 1_000;
const EVENTS_PER_READ = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

interface EndedRow {
  readonly correlation_id: JobId;
  readonly ended_at: Date;
}

/**
 * Removes the files and vectors of ended jobs after the days that their tenants set. Each removal is one commit with its event
 * `FilesRemoved`, so a crash leaves both or neither, and the next run continues. Concurrent runs remove once.
 */
export class Retention {
  constructor(
    readonly store: EventStore,
    readonly pool: pg.Pool,
  ) {}

  /** Yields the outcome for each ended job whose time is over and whose files or vectors were not removed before. */
  async *run(options: RetentionOptions): AsyncGenerator<RetentionResult, void, undefined> {
    const settings = await readRetentionSettings(this.pool, options);
    const days = new Map(settings.map((setting) => [setting.tenant, setting]));
    if (days.size === 0) return;
    await this.readReferences(options.signal);
    for (const { correlation_id: jobId, ended_at: endedAt } of await this.listEnded()) {
      options.signal?.throwIfAborted();
      const job = await new JobRepository(this.store).loadJob(jobId);
      const tenant = job?.submitted.tenant ?? '';
      const setting = days.get(tenant);
      if (!job || !setting || !hasJobEnded(job) || job.erased || isRemoved(job)) continue;
      const outcome = await this.removeDue(jobId, endedAt, setting, options);
      if (outcome) yield { jobId, tenant, outcome };
    }
  }

  /** Removes the files of a job, else only its vectors, if their time is over. */
  private async removeDue(
    jobId: JobId,
    endedAt: Date,
    { filesDays, vectorsDays }: RetentionDays,
    options: RetentionOptions,
  ): Promise<RetentionOutcome | undefined> {
    const isDue = (days: number | null): days is number =>
      days !== null && endedAt.getTime() + days * DAY_MS <= options.now.getTime();
    const outcome = isDue(filesDays) ? await this.removeFiles(jobId, filesDays, options) : undefined;
    if (!isDue(vectorsDays) || isEncryptedJob(jobId) || (outcome && outcome.kind !== 'kept')) return outcome;
    return (await removeVectors(this, jobId, vectorsDays, options)) ?? outcome;
  }

  /** Returns `undefined` when another run finished the removal meanwhile. */
  private async removeFiles(
    jobId: JobId,
    afterDays: number,
    options: RetentionOptions,
  ): Promise<RetentionOutcome | undefined> {
    const { dryRun = false, hashesPerEvent = MAX_HASHES_PER_REMOVAL, graceMs = GRACE_MS, actor, now } = options;
    if (isEncryptedJob(jobId)) return { kind: 'kept', reason: 'encrypted' };
    let [files, bytes, conflicts] = [0, 0, 0];
    for (;;) {
      options.signal?.throwIfAborted();
      // The state is loaded before the files are listed: the append fails if a hold or another run came in between.
      const job = await new JobRepository(this.store).loadJob(jobId);
      if (!job || !hasJobEnded(job) || isRemoved(job)) return files > 0 ? { kind: 'removed', files, bytes } : undefined;
      if (job.hold) return { kind: 'kept', reason: 'held' };
      if (await this.hasFork(jobId)) return { kind: 'kept', reason: 'forked' };
      const found = await this.listRemovable(jobId, graceMs, dryRun ? undefined : hashesPerEvent + 1);
      const batch = dryRun ? found : found.slice(0, hashesPerEvent);
      const batchBytes = batch.reduce((sum, { size }) => sum + size, 0);
      if (dryRun) return { kind: 'removed', files: batch.length, bytes: batchBytes };
      const hasMore = found.length > batch.length;
      const data = {
        actor: getActorName(actor),
        removedAt: now.toISOString(),
        hashes: batch.map(({ hash }) => hash),
        bytes: batchBytes,
        vectorFiles: hasMore ? 0 : await countVectorFiles(this.pool, jobId),
        afterDays,
        hasMore,
      };
      const append = buildJobAppend(jobId, job.version, [{ type: 'FilesRemoved', data }], { actor });
      try {
        await runInTransaction(this.pool, async (client) => {
          await this.store.appendWithin(client, append);
          await client.query('SELECT phaseline.remove_files($1, $2)', [jobId, `${graceMs} milliseconds`]);
        });
      } catch (error) {
        if (!isNeededSince(error) && !(error instanceof WrongExpectedVersion)) throw error;
        conflicts += 1;
        if (conflicts > MAX_CONFLICTS) return { kind: 'kept', reason: 'needed-elsewhere' };
        await this.readReferences(options.signal);
        continue;
      }
      files += batch.length;
      bytes += batchBytes;
      if (!hasMore) return { kind: 'removed', files, bytes };
    }
  }

  private listEnded(): Promise<EndedRow[]> {
    return queryRows(this.pool, {
      text: `SELECT correlation_id, max(recorded_at) AS ended_at FROM phaseline.events
        WHERE type IN ('JobCompleted', 'JobFailed', 'JobCancelled') AND stream_id = 'job-' || correlation_id
        GROUP BY correlation_id ORDER BY max(position)`,
      values: [],
    });
  }

  /** Reads the events since the last run, so that every reference to content is known. */
  private async readReferences(signal: AbortSignal | undefined): Promise<void> {
    for (let events = 1; events > 0;) {
      signal?.throwIfAborted();
      const text = 'SELECT phaseline.reference_files($1) AS events';
      const [row] = await queryRows<{ events: number }>(this.pool, { text, values: [EVENTS_PER_READ] });
      events = row?.events ?? 0;
    }
  }

  private async hasFork(jobId: JobId): Promise<boolean> {
    const rows = await queryRows(this.pool, {
      text: `SELECT 1 FROM phaseline.events AS e WHERE e.type = 'JobForked' AND e.data -> 'parent' ->> 'jobId' = $1
        AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = e.correlation_id) LIMIT 1`,
      values: [jobId],
    });
    return rows.length > 0;
  }

  private async listRemovable(
    jobId: JobId,
    graceMs: number,
    limit: number | undefined,
  ): Promise<readonly { readonly hash: string; readonly size: number }[]> {
    const rows = await queryRows<{ hash: string; size: string }>(this.pool, {
      text: `SELECT encode(hash, 'hex') AS hash, size FROM phaseline.removable_files($1, $2, $3)`,
      values: [jobId, `${graceMs} milliseconds`, limit ?? null],
    });
    return rows.map(({ hash, size }) => ({ hash, size: Number(size) }));
  }
}

function isRemoved({ filesRemoved }: JobState): boolean {
  return filesRemoved?.hasMore === false;
}
