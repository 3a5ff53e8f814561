import type { JobId } from '@phaseline/contracts';
import {
  addSpending,
  listJobFiles,
  hasJobEnded,
  phaseStream,
  type JobState,
  type PhaseState,
  type Spending,
} from '@phaseline/domain';
import type { ColdStorage, EventLog } from '@phaseline/event-store';
import type pg from 'pg';
import { StreamFolds, Snapshots, type PhaseOutline } from '@phaseline/repository';
import { Moments, type Moment } from '../moment/moments.js';

/** The state of a job that results from folding the log up to a position. */
export interface JobAt {
  /** Position of the last event of the job at or before the requested position. */
  readonly position: number;
  readonly job: JobState;
  /** All phases dispatched by then, in order. */
  readonly phases: readonly PhaseOutline[];
  /** The last phase that had started, without its conversation and its calls (see `foldPhaseOutline`). */
  readonly phase?: PhaseState;
  /** Files by path. */
  readonly files: JobState['submitted']['tree'];
  /** Spending of all phases, including the running one. */
  readonly spending: Spending;
}

export interface TimeTravelOptions {
  /** Whether to read and store snapshots; default true. */
  readonly snapshots?: boolean;
  /** For specs: number of events between snapshots of a long stream. */
  readonly eventsPerSnapshot?: number;
  /** Where the events of moved jobs are. */
  readonly cold?: ColdStorage | undefined;
}

/**
 * Shows jobs as they were at any position of the log.
 *
 * ```ts
 * const travel = new TimeTravel(store, pool);
 * const job = await travel.at(jobId, 4711);
 * ```
 */
export class TimeTravel {
  readonly moments: Moments;
  /** Where the events of moved jobs are, if this process knows it. */
  readonly cold: ColdStorage | undefined;
  readonly snapshots: Snapshots;
  readonly folds: StreamFolds;

  constructor(store: Pick<EventLog, 'read' | 'readAt'>, pool: pg.Pool, options: TimeTravelOptions = {}) {
    this.cold = options.cold;
    this.moments = new Moments(pool, options.cold);
    this.snapshots = new Snapshots(pool);
    this.folds = new StreamFolds(
      store,
      options.snapshots === false ? undefined : this.snapshots,
      options.eventsPerSnapshot,
    );
  }

  /**
   * Returns the job as of a position, or its current state when none is given; `undefined` when there was no such job
   * then.
   */
  async at(jobId: JobId, position?: number): Promise<JobAt | undefined> {
    const moment = await this.moments.findMoment(jobId, position);
    return moment && this.buildJobAt(jobId, moment);
  }

  /**
   * Returns the current state of a phase, without its conversation. For a fork this includes phases that only its
   * parent ran.
   */
  async phaseAt(jobId: JobId, phase: number): Promise<PhaseState | undefined> {
    const state = await this.folds.foldPhase(phaseStream(jobId, phase), Number.MAX_SAFE_INTEGER);
    if (state) return state;
    const outline = await this.folds.foldJob(jobId, Number.MAX_SAFE_INTEGER);
    const fork = outline?.job.fork;
    // A phase of the parent that started after the fork does not belong to the fork.
    return fork && outline.phases.some((record) => record.phase === phase)
      ? this.phaseAt(fork.parent.jobId, phase)
      : undefined;
  }

  private async buildJobAt(jobId: JobId, moment: Moment): Promise<JobAt | undefined> {
    const outline = await this.folds.foldJob(jobId, moment.jobVersion);
    if (!outline) return undefined;
    const { job, phases } = outline;
    const phase = await this.lastPhase(job, moment);
    return {
      position: moment.position,
      job,
      phases,
      ...(phase ? { phase } : {}),
      files: listJobFiles(job, phase?.tree ?? job.submitted.tree),
      spending:
        phase && phase.start.identity.phase === job.active?.phase && !hasJobEnded(job)
          ? addSpending(job.spending, phase.money.spending)
          : job.spending,
    };
  }

  /** Returns the last phase that had started. A fork that has not started a phase is in the last phase of its parent. */
  private async lastPhase({ fork }: JobState, { phase }: Moment): Promise<PhaseState | undefined> {
    if (phase) return this.folds.foldPhase(phase.streamId, phase.version);
    const before = fork && (await this.at(fork.parent.jobId, fork.position));
    return before?.phase;
  }
}
