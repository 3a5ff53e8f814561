import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SessionStore } from '@phaseline/identity';
import { InjectLogger, InjectShutdownSignal } from '@phaseline/service';
import type { Logger } from 'pino';

/** Interval in milliseconds between removals, on average. Expired rows are refused anyway, so this only bounds the size of the tables. */
const INTERVAL_MS = 10 * 60_000;

/** Removes login links, attempts to sign in, and sessions that have expired, at the start and then periodically. Every replica does. */
@Injectable()
export class ExpiredSessionsKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;

  constructor(
    @InjectLogger() private readonly logger: Logger,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    private readonly sessions: SessionStore,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /** Removes until the shutdown. `wait` returns after a pause in milliseconds. */
  async run(wait = (ms: number) => sleep(ms, undefined, { signal: this.shutdown, ref: false })): Promise<void> {
    while (!this.shutdown.aborted) {
      await this.sessions
        .removeExpired()
        .catch((error: unknown) =>
          this.logger.warn({ error }, 'expired sessions could not be removed; will retry, and they are refused'),
        );
      // Randomised, so that replicas that started together do not run together.
      await wait(INTERVAL_MS * (0.75 + Math.random() / 2)).catch(() => undefined);
    }
  }
}
