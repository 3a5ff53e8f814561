import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { jobHasEnded } from '@phaseline/domain';
import { DatabaseClock } from '@phaseline/event-store';
import { Histories, orLeaveToNewer } from '@phaseline/history';
import { JobDriver } from '@phaseline/orchestration';
import { Queues, type Postponed } from '@phaseline/queue';
import { InjectLogger, Metrics } from '@phaseline/service';
import type { Logger } from 'pino';

/** A timer that is still set although its time has come: its job could not be decided this time, or a clock is a little off. */
const LOOK_AGAIN_MS = 1_000;

/** Looks at a job when one of its timers is due. */
@Injectable()
export class TimersConsumer implements OnApplicationBootstrap {
  constructor(
    private readonly queues: Queues,
    private readonly driver: JobDriver,
    private readonly histories: Histories,
    private readonly metrics: Metrics,
    private readonly clock: DatabaseClock,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { driver, histories, clock } = this;
    await this.queues.work('timers', (message) =>
      orLeaveToNewer(
        () => fireTimer({ driver, histories }, message, clock),
        (error) => {
          this.metrics.leftToNewer.inc();
          this.logger.warn({ error, jobId: message.jobId }, 'a timer is left to a newer release');
        },
      ),
    );
  }
}

export interface TimerParts {
  readonly driver: { advance(jobId: string): Promise<unknown> };
  readonly histories: Pick<Histories, 'job' | 'phase'>;
}

/**
 * What is due fires by the clock and the log; the message only says "look". A timer that was moved meanwhile has its message
 * put off: while this one is at work, another under the same id would be dropped.
 */
export async function fireTimer(
  parts: TimerParts,
  { jobId, timer }: { readonly jobId: string; readonly timer: string },
  /** By which the timer was set. */
  clock: { now(): Date },
): Promise<Postponed | undefined> {
  await parts.driver.advance(jobId);
  const dueAt = await stillDue(parts.histories, jobId, timer);
  if (dueAt === undefined) return undefined;
  return { retryAt: Date.now() + Math.max(dueAt - clock.now().getTime(), LOOK_AGAIN_MS) };
}

/** When the timer is due, in milliseconds since 1970; `undefined` when it is not set any more, or its job is paused. */
async function stillDue(histories: TimerParts['histories'], jobId: string, timer: string): Promise<number | undefined> {
  const job = await histories.job(jobId);
  // A paused job has its timers set again when it goes on.
  if (!job || jobHasEnded(job) || job.paused) return undefined;
  const set = job.timers[timer];
  if (set) return Date.parse(set.dueAt);
  const callId = /^approval-(.+)$/.exec(timer)?.[1];
  if (callId === undefined || !job.active) return undefined;
  const call = (await histories.phase(jobId, job.active.phase))?.calls[callId];
  return call?.status === 'awaiting-approval' && call.expiresAt !== undefined ? Date.parse(call.expiresAt) : undefined;
}
