import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseClock } from '@phaseline/cluster';
import { createPool, EventStore } from '@phaseline/event-store';
import { executeNextRun, RetentionRuns, type ColdMover } from '@phaseline/orchestration';
import { InjectConfig, InjectLogger, InjectPool, InjectShutdownSignal } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OrchestratorConfig } from '../orchestrator-config.js';

/**
 * Interval in milliseconds between searches for runs that another replica received or could not finish, on average. Each search is a few
 * commits of an idle system; the replica that received a request searches immediately.
 */
const SEARCH_INTERVAL_MS = 120_000;
/** Interval while another replica executes a run. That replica may miss a run that is requested just as it finishes its last search. */
const BUSY_INTERVAL_MS = 5_000;

/**
 * Executes the runs of retention that were requested, and requests one per PHASELINE_RETENTION_INTERVAL_MS. Every replica tries; a lock
 * in the database admits one at a time. Without settings of tenants nothing is removed or moved.
 */
@Injectable()
export class RetentionLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;
  private woken = new AbortController();
  /** Connections of the login that may move jobs to cold storage. A pool connects when it is used first. */
  private archivist: Pool | undefined;

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() private readonly pool: Pool,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    private readonly store: EventStore,
    private readonly runs: RetentionRuns,
    private readonly clock: DatabaseClock,
  ) {}

  onApplicationBootstrap(): void {
    const url = this.config.PHASELINE_ARCHIVIST_URL;
    if (url !== undefined) this.archivist = createPool(url, { max: 2, applicationName: 'phaseline-archivist' });
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
    await this.archivist?.end();
  }

  /** Has this replica search for runs immediately. */
  wake(): void {
    this.woken.abort();
  }

  private async run(): Promise<void> {
    while (!this.shutdown.aborted) {
      this.woken = new AbortController();
      const isBusy = await this.executeRuns().catch((error: unknown) => {
        if (!this.shutdown.aborted) this.logger.warn({ error }, 'a run of retention was interrupted; will continue');
        return false;
      });
      // Randomised, so that replicas that started together do not search together.
      const pause = (isBusy ? BUSY_INTERVAL_MS : SEARCH_INTERVAL_MS) * (0.75 + Math.random() / 2);
      const signal = AbortSignal.any([this.shutdown, this.woken.signal]);
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private createMover(): ColdMover | undefined {
    const { cold } = this.store;
    return cold && { archives: cold.archives, pool: this.archivist ?? this.pool };
  }

  /** Executes runs until there is none, or until another replica executes one. Returns whether it does. */
  private async executeRuns(): Promise<boolean> {
    const everyMs = this.config.PHASELINE_RETENTION_INTERVAL_MS;
    if (everyMs > 0) await this.runs.requestAutomatic(everyMs);
    const options = { now: () => this.clock.now(), signal: this.shutdown, mover: this.createMover() };
    for (;;) {
      const ended = await executeNextRun(this.store, this.pool, options);
      if (!ended) return false;
      if (ended === 'busy') return true;
      const { runId, dryRun, failure, actor } = ended;
      const run = { run: runId, dryRun, actor: actor.id };
      if (failure === undefined) this.logger.info(run, 'a run of retention has ended');
      else this.logger.error({ ...run, failure }, 'a run of retention failed');
    }
  }
}
