import type { DatabaseClock } from '@phaseline/event-store';
import type { Queues } from '@phaseline/queue';
import type { Logger } from 'pino';

const LOOK_MS = 500;

/**
 * Keeps a process whose clock is far from the database's from taking messages. What the system compares is compared by the
 * database's clock; but such a machine is not set up as it should be, and what it writes beside the log (files, logs, requests to
 * others) has wrong times.
 */
export class ClockWatch {
  readonly #timer: NodeJS.Timeout;
  #paused = false;

  constructor(
    private readonly clock: Pick<DatabaseClock, 'complaint'>,
    private readonly queues: Pick<Queues<never>, 'pause' | 'resume'>,
    private readonly logger: Logger,
  ) {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  private look(): void {
    const complaint = this.clock.complaint();
    const wrong = complaint !== undefined;
    if (wrong === this.#paused) return;
    this.#paused = wrong;
    if (wrong) {
      this.queues.pause();
      this.logger.warn({ complaint }, 'no messages are taken while the clock is wrong');
    } else {
      this.queues.resume();
      this.logger.info('the clock is right again; messages are taken');
    }
  }
}
