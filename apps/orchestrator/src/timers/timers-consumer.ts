import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { hasJobEnded } from '@phaseline/domain';
import { DatabaseClock } from '@phaseline/cluster';
import type { JobId } from '@phaseline/contracts';
import { JobRepository, runOrLeaveToNewerRelease } from '@phaseline/repository';
import { JobDriver } from '@phaseline/orchestration';
import { Queues, type Postponement } from '@phaseline/queue';
import { InjectLogger, Metrics } from '@phaseline/service';
import type { Logger } from 'pino';

/**
 * Delay in milliseconds before a timer that did not fire is checked again: its job could not be decided, or a clock is
 * slightly wrong.
 */
const RECHECK_DELAY_MS = 1_000;

/** Advances a job when one of its timers is due. */
@Injectable()
export class TimersConsumer implements OnApplicationBootstrap {
  constructor(
    private readonly queues: Queues,
    private readonly driver: JobDriver,
    private readonly repository: JobRepository,
    private readonly metrics: Metrics,
    private readonly clock: DatabaseClock,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { driver, repository, clock } = this;
    await this.queues.work('timers', (message) =>
      runOrLeaveToNewerRelease(
        () => fireTimer({ driver, repository }, message, clock),
        (error) => {
          this.metrics.leftToNewer.inc();
          this.logger.warn({ error, jobId: message.jobId }, 'left a timer to orchestrators of a newer release');
        },
      ),
    );
  }
}

export interface TimerParts {
  readonly driver: { advance(jobId: JobId): Promise<unknown> };
  readonly repository: Pick<JobRepository, 'loadJob' | 'loadPhase'>;
}

/**
 * Handles a timer message. Whether a timer fires is decided by the clock and the log; the message only triggers the
 * check. The message of a timer that was moved meanwhile is postponed, because another one with the same id would be
 * dropped while this one is being handled.
 */
export async function fireTimer(
  parts: TimerParts,
  { jobId, timer }: { readonly jobId: JobId; readonly timer: string },
  /** The clock by which the timer was set. */
  clock: { now(): Date },
): Promise<Postponement | undefined> {
  await parts.driver.advance(jobId);
  const dueAt = await findDueTime(parts.repository, jobId, timer);
  if (dueAt === undefined) return undefined;
  return { retryAt: Date.now() + Math.max(dueAt - clock.now().getTime(), RECHECK_DELAY_MS) };
}

/**
 * Returns when the timer is due, in milliseconds since 1970; `undefined` when it is no longer set or its job is paused.
 */
async function findDueTime(
  repository: TimerParts['repository'],
  jobId: JobId,
  timer: string,
): Promise<number | undefined> {
  const job = await repository.loadJob(jobId);
  // A paused job sets its timers again when it resumes.
  if (!job || hasJobEnded(job) || job.paused) return undefined;
  const timerState = job.timers[timer];
  if (timerState) return Date.parse(timerState.dueAt);
  const callId = /^(?:approval|question)-(.+)$/.exec(timer)?.[1];
  if (callId === undefined || !job.active) return undefined;
  const call = (await repository.loadPhase(jobId, job.active.phase))?.calls.byId[callId];
  if (call?.status === 'awaiting-answer') return call.question && Date.parse(call.question.deadlineAt);
  return call?.status === 'awaiting-approval' && call.expiresAt !== undefined ? Date.parse(call.expiresAt) : undefined;
}
