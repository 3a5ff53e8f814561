import type { EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import { markReferences } from '../cold-storage/mark-references.js';
import { moveDueJobs, type ColdMover } from '../cold-storage/move-due-jobs.js';
import { listDueJobs } from './due-jobs.js';
import { readReferences } from './read-references.js';
import { removeLearningTraces } from './remove-learning-traces.js';
import { removeFiles } from './remove-files.js';
import { removeVectors } from './remove-vectors.js';
import { readRetentionSettings, type RetentionSetting } from './retention-settings.js';
import type { RetentionOptions, RetentionResult } from './retention-types.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Removes the files, vectors and learning traces of ended jobs after the days that their tenants set. Each removal is one commit with its event
 * `FilesRemoved` or `VectorsRemoved`, or the event `LearningTracesRemoved`, which the projection applies, so a crash leaves both or neither,
 * and the next run continues. Concurrent runs remove once. Then moves the events of jobs to cold storage that are due for it. The cost of a run grows with the jobs whose time is over, and with the events since the last run.
 */
export class Retention {
  constructor(
    readonly store: EventStore,
    readonly pool: pg.Pool,
    readonly mover?: ColdMover,
  ) {}

  /** Yields the outcome for each ended job whose time is over and of which something was not removed before. */
  async *run(options: RetentionOptions): AsyncGenerator<RetentionResult, void, undefined> {
    const settings = await readRetentionSettings(this.pool, options);
    // Reading the references costs time for each event since the last run.
    const movesJobs = settings.some(({ coldDays }) => coldDays !== null);
    if (movesJobs) await markReferences(this.pool, options.signal);
    else if (settings.some(({ filesDays, vectorsDays }) => filesDays !== null || vectorsDays !== null))
      await readReferences(this.pool, options.signal);
    for (const setting of settings) {
      yield* removeLearningTraces(this, setting, options);
      yield* this.removeFilesOf(setting, options);
      yield* this.removeVectorsOf(setting, options);
    }
    // Last, because a storage that fails must not prevent removals.
    if (movesJobs) yield* moveDueJobs(this, settings, options);
  }

  /** Removes the files of the jobs of a tenant. Vectors go too, even where the files are needed longer. */
  private async *removeFilesOf(
    { tenant, filesDays, vectorsDays }: RetentionSetting,
    options: RetentionOptions,
  ): AsyncGenerator<RetentionResult, void, undefined> {
    if (filesDays === null) return;
    for await (const { jobId, endedAt } of listDueJobs(this.pool, {
      tenant,
      endedUntil: subtractDays(options.now, filesDays),
    })) {
      const outcome = await removeFiles(this, jobId, filesDays, options);
      const vectors =
        outcome?.kind === 'kept' && vectorsDays !== null && endedAt <= subtractDays(options.now, vectorsDays)
          ? await removeVectors(this, jobId, vectorsDays, options)
          : undefined;
      const found = vectors ?? outcome;
      if (found) yield { jobId, tenant, outcome: found };
    }
  }

  /** Removes the vectors of the jobs of a tenant whose files are kept longer. */
  private async *removeVectorsOf(
    { tenant, filesDays, vectorsDays }: RetentionSetting,
    options: RetentionOptions,
  ): AsyncGenerator<RetentionResult, void, undefined> {
    if (vectorsDays === null) return;
    for await (const { jobId } of listDueJobs(this.pool, {
      tenant,
      endedUntil: subtractDays(options.now, vectorsDays),
      endedAfter: filesDays === null ? undefined : subtractDays(options.now, filesDays),
      hasVectors: true,
    })) {
      const outcome = await removeVectors(this, jobId, vectorsDays, options);
      if (outcome) yield { jobId, tenant, outcome };
    }
  }
}

function subtractDays(time: Date, days: number): Date {
  return new Date(time.getTime() - days * DAY_MS);
}
