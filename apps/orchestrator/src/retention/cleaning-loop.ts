import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { cleanTables } from '@phaseline/orchestration';
import { InjectConfig, InjectLogger, InjectPool, InjectShutdownSignal } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { toKeptDays } from './cleaning-config.js';

/** Interval in milliseconds between the cleanings of a table, over all replicas. Settings are in days. */
const CLEANING_INTERVAL_MS = 60 * 60_000;
/** Interval between the attempts of a replica, on average. An attempt in vain is one statement per table. */
const ATTEMPT_INTERVAL_MS = 20 * 60_000;
/** Delay after the start, so that cleaning does not compete with the work that has waited for it. */
const FIRST_DELAY_MS = 60_000;

/** Removes old rows that nothing needs any more. Every replica tries; one of them cleans a table per interval. */
@Injectable()
export class CleaningLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() private readonly pool: Pool,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /** Cleans until the shutdown. `wait` returns after a pause in milliseconds. */
  async run(wait = (ms: number) => sleep(ms, undefined, { signal: this.shutdown, ref: false })): Promise<void> {
    let pauseMs = FIRST_DELAY_MS;
    for (;;) {
      // Randomised, so that replicas that started together do not run together.
      await wait(pauseMs * (0.75 + Math.random() / 2)).catch(() => undefined);
      if (this.shutdown.aborted) return;
      await this.clean().catch((error: unknown) => {
        if (!this.shutdown.aborted) this.logger.warn({ error }, 'old rows could not be removed; will retry');
      });
      pauseMs = ATTEMPT_INTERVAL_MS;
    }
  }

  private async clean(): Promise<void> {
    const options = { keptDays: toKeptDays(this.config), everyMs: CLEANING_INTERVAL_MS, signal: this.shutdown };
    for (const [table, removed] of Object.entries(await cleanTables(this.pool, options)))
      if (removed > 0) this.logger.info({ table, removed }, 'old rows were removed');
  }
}
