import type { DatabaseClock } from '@phaseline/cluster';
import type { Queues } from '@phaseline/queue';
import type { Logger } from 'pino';

const CHECK_INTERVAL_MS = 500;

/**
 * Pauses the queues while the clock of this process differs too much from the database's. Decisions use the database's clock, but a
 * machine with a wrong clock is misconfigured and writes wrong times to files, logs and requests.
 */
export class ClockWatch {
  private readonly timer: NodeJS.Timeout;
  private paused = false;

  constructor(
    private readonly clock: Pick<DatabaseClock, 'describeProblem'>,
    private readonly queues: Pick<Queues, 'pause' | 'resume'>,
    private readonly logger: Logger,
  ) {
    this.check();
    this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    const reason = this.clock.describeProblem();
    const isWrong = reason !== undefined;
    if (isWrong === this.paused) return;
    this.paused = isWrong;
    if (isWrong) {
      this.queues.pause();
      this.logger.warn({ reason }, 'no messages are taken while the clock is wrong');
    } else {
      this.queues.resume();
      this.logger.info('the clock is correct again; messages are taken');
    }
  }
}
