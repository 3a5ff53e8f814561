import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isFromNewerRelease } from '@phaseline/domain';
import { ProcessRegistry } from '@phaseline/cluster';
import { getTailRounds, type TailRounds } from '@phaseline/event-store';
import { Reconciler } from '@phaseline/orchestration';
import { Queues } from '@phaseline/queue';
import { InjectConfig, InjectLogger, InjectPool, InjectShutdownSignal, Metrics, Readiness } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ProblemLog } from './problem-log.js';
import { QuarantineKeeper } from './quarantine-keeper.js';

/** Interval in milliseconds between checks for dead processes, while any process holds leases; one short query. */
const WATCH_INTERVAL_MS = 1_000;
/**
 * Interval in milliseconds between reclaims of messages whose workers let their locks expire half a minute ago. The
 * check of the workers finds them sooner; if that check fails, a stuck message prevents every other message with its id
 * from entering the queue.
 */
const RECLAIM_INTERVAL_MS = 30_000;

/** Number of failed passes in a row that makes the process not ready; fewer may be due to a restart of the database. */
const MAX_FAILED_PASSES = 3;

/**
 * Searches the log periodically for work that no queue holds. Every replica does; queues recognise messages by their
 * ids.
 */
@Injectable()
export class ReconcilerLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly problems: ProblemLog;
  private readonly passes: Counter<'outcome'>;
  private running: Promise<unknown> | undefined;
  private readonly rounds: TailRounds;
  private reclaimedAt = performance.now();
  private failures: { count: number; last: unknown } = { count: 0, last: undefined };

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    private readonly reconciler: Reconciler,
    private readonly processes: ProcessRegistry,
    private readonly quarantine: QuarantineKeeper,
    private readonly queues: Queues,
    @InjectPool() pool: Pool,
    metrics: Metrics,
    readiness: Readiness,
  ) {
    this.rounds = getTailRounds(pool);
    readiness.register('reconciler', async () => this.describeFailures());
    this.problems = new ProblemLog((stream, error) => {
      if (!isFromNewerRelease(error)) {
        logger.error({ error, stream }, 'a stream cannot be reconciled; reported once while this lasts');
        return;
      }
      metrics.leftToNewer.inc();
      logger.warn(
        { error, stream },
        'left a stream to orchestrators of a newer release; reported once while this lasts',
      );
    });
    this.passes = new Counter({
      name: 'phaseline_reconciler_passes_total',
      help: 'Searches of the log for work that no queue holds, by outcome; skipped while nothing can be due.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  onApplicationBootstrap(): void {
    this.running = Promise.all([this.run(), this.watch()]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.shutdown.aborted) {
      // Randomised, so that replicas that started together do not run together.
      const pause = this.config.PHASELINE_RECONCILE_INTERVAL_MS * (0.75 + Math.random() / 2);
      await sleep(pause, undefined, { signal: this.shutdown }).catch(() => undefined);
      if (this.shutdown.aborted) return;
      // A process with a wrong clock takes no work: timers use the database's clock, but other times that it writes
      // would be wrong.
      if (this.processes.clock.describeProblem() !== undefined) continue;
      await this.reclaimLost();
      if (!this.reconciler.canRest(this.rounds.unchangedSince)) await this.pass();
    }
  }

  /** Dispatches the work of dead processes without waiting for the next pass. */
  private async watch(): Promise<void> {
    while (!this.shutdown.aborted) {
      await sleep(WATCH_INTERVAL_MS, undefined, { signal: this.shutdown }).catch(() => undefined);
      if (this.shutdown.aborted) return;
      if (!this.processes.hasActiveProcesses || this.processes.clock.describeProblem() !== undefined) continue;
      try {
        const sent = await this.reconciler.dispatchForDead(await this.processes.listAbandoned(), (stream, error) =>
          this.logger.warn(
            { error, stream },
            'the work of a dead process could not be dispatched; the next pass will retry',
          ),
        );
        if (sent > 0) this.logger.info({ sent }, 'dispatched the work of a dead process');
      } catch (error) {
        this.logger.debug({ error }, 'checking for dead processes failed');
      }
    }
  }

  private async pass(): Promise<void> {
    try {
      const watched = await this.quarantine.beginPass();
      const { streams, sent } = await this.reconciler.runPass((stream, error) => {
        this.problems.report(stream, error);
        watched.recordFailure(stream, error);
      }, watched.shouldSkip);
      await watched.end();
      const broken = this.problems.endPass();
      this.failures = { count: 0, last: undefined };
      this.passes.inc({ outcome: 'done' });
      this.logger.debug({ streams, sent, broken }, 'reconciled');
    } catch (error) {
      this.passes.inc({ outcome: 'failed' });
      this.failures = { count: this.failures.count + 1, last: error };
      this.logger.warn({ error }, 'a pass of the reconciler failed; will retry');
    }
  }

  private async reclaimLost(): Promise<void> {
    if (performance.now() - this.reclaimedAt < RECLAIM_INTERVAL_MS) return;
    this.reclaimedAt = performance.now();
    try {
      const messages = await this.queues.recoverStalled();
      if (messages > 0) this.logger.warn({ messages }, 'reclaimed messages of workers that died');
    } catch (error) {
      this.logger.debug({ error }, 'searching for messages of dead workers failed; will retry');
    }
  }

  /** Returns what is wrong, for the readiness check. */
  private describeFailures(): string | undefined {
    const { count, last } = this.failures;
    if (count < MAX_FAILED_PASSES) return undefined;
    const reason = last instanceof Error ? last.message : String(last);
    return `the last ${count} searches for lost work failed: ${reason}`;
  }
}
