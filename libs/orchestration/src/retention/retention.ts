import { getActorName, type Actor, type JobId } from '@phaseline/contracts';
import { hasJobEnded, isEncryptedJob, MAX_HASHES_PER_REMOVAL, type JobState } from '@phaseline/domain';
import { queryRows, runInTransaction, WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import { buildJobAppend, JobRepository } from '@phaseline/repository';
import type pg from 'pg';

/** What retention did with an ended job whose time is over, or why it kept the files. */
export type RetentionOutcome =
  | { readonly kind: 'removed'; readonly files: number; readonly bytes: number }
  | { readonly kind: 'kept'; readonly reason: 'held' | 'forked' | 'encrypted' | 'needed-elsewhere' };

export interface RetentionResult {
  readonly jobId: JobId;
  readonly tenant: string;
  readonly outcome: RetentionOutcome;
}

export interface RetentionOptions {
  readonly actor: Actor;
  readonly now: Date;
  /** Whether to report what would be removed without removing it. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** For specs: maximum number of hashes in one event. */
  readonly hashesPerEvent?: number;
  /** For specs: files stored within this time are kept, in milliseconds. */
  readonly graceMs?: number;
}

/** A process that has just stored content may be about to refer to it. */
const GRACE_MS = 2 * 60 * 60 * 1_000;
const EVENTS_PER_READ = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Content became needed, or the job changed, after the removal was decided. */
const NEEDED_SINCE = 'PL011';
const MAX_CONFLICTS = 5;

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
    private readonly store: EventStore,
    private readonly pool: pg.Pool,
  ) {}

  /** Yields the outcome for each ended job whose time is over and whose files were not removed before. */
  async *run(options: RetentionOptions): AsyncGenerator<RetentionResult, void, undefined> {
    const days = await this.readDays();
    if (days.size === 0) return;
    await this.readReferences(options.signal);
    for (const { correlation_id: jobId, ended_at: endedAt } of await this.listEnded()) {
      options.signal?.throwIfAborted();
      const job = await new JobRepository(this.store).loadJob(jobId);
      const tenant = job?.submitted.tenant ?? '';
      const afterDays = days.get(tenant);
      if (!job || afterDays === undefined || !hasJobEnded(job) || job.erased || isRemoved(job)) continue;
      if (endedAt.getTime() + afterDays * DAY_MS > options.now.getTime()) continue;
      const outcome = await this.removeFiles(jobId, afterDays, options);
      if (outcome) yield { jobId, tenant, outcome };
    }
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
        vectorFiles: hasMore ? 0 : await this.countVectorFiles(jobId),
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
        const isNeeded = (error as { code?: unknown }).code === NEEDED_SINCE;
        if (!isNeeded && !(error instanceof WrongExpectedVersion)) throw error;
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

  /** Returns the days per tenant. Tenants without a setting keep everything. */
  private async readDays(): Promise<ReadonlyMap<string, number>> {
    const rows = await queryRows<{ tenant: string; files_days: number }>(this.pool, {
      text: 'SELECT tenant, files_days FROM phaseline.retention_settings',
      values: [],
    });
    return new Map(rows.map(({ tenant, files_days: days }) => [tenant, days]));
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

  private async countVectorFiles(jobId: JobId): Promise<number> {
    const text = 'SELECT count(*)::int AS files FROM phaseline.vector_files WHERE job_id = $1';
    const [row] = await queryRows<{ files: number }>(this.pool, { text, values: [jobId] });
    return row?.files ?? 0;
  }
}

function isRemoved({ filesRemoved }: JobState): boolean {
  return filesRemoved?.hasMore === false;
}
