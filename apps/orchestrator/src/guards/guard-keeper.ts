import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { GuardWatch } from '@phaseline/orchestration';
import { InjectLogger, InjectShutdownSignal } from '@phaseline/service';
import type { Logger } from 'pino';

/** Interval in milliseconds between comparisons, on average. Each is one query while no guard with limits is in production. */
const INTERVAL_MS = 60_000;

/**
 * Rolls back stored guards whose overrides or failed jobs exceed the limits of their owners, where the owners want that. Every replica tries; of two
 * that find the same, the second changes nothing.
 */
@Injectable()
export class GuardKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;

  constructor(
    @InjectLogger() private readonly logger: Logger,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    private readonly watch: GuardWatch,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.shutdown.aborted) {
      // Randomised, so that replicas that started together do not run together.
      await sleep(INTERVAL_MS * (0.75 + Math.random() / 2), undefined, { signal: this.shutdown, ref: false }).catch(
        () => undefined,
      );
      if (!this.shutdown.aborted) await this.compare();
    }
  }

  private async compare(): Promise<void> {
    try {
      for (const { tenant, name, number, basis } of await this.watch.rollBackExceeded())
        this.logger.warn({ guard: name, version: number, tenant, figure: basis.figure }, 'a guard was rolled back');
    } catch (error) {
      if (this.shutdown.aborted) return;
      this.logger.warn({ error }, 'guards could not be compared with their limits; will retry');
    }
  }
}
