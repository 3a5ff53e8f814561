import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isFromNewerRelease } from '@phaseline/domain';
import { ProcessRegistry, tailRounds, type TailRounds } from '@phaseline/event-store';
import { Reconciler } from '@phaseline/orchestration';
import { Queues } from '@phaseline/queue';
import { InjectConfig, InjectLogger, InjectPool, InjectShutdownSignal, Metrics, Readiness } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ProblemLog } from './problem-log.js';
import { SetAsideStreams } from './set-aside.js';

/** How often it is asked who has died, while any process works on something; one short query. */
const WATCH_MS = 1_000;
/**
 * How often messages are taken back whose workers let their locks end half a minute ago. The search of the workers finds them sooner;
 * while it fails, a message that nobody can take keeps every other one of its id out of the queue.
 */
const TAKE_BACK_MS = 30_000;

/** One pass may meet a restart of the database; so many in a row are more than that. */
const FAILED_PASSES = 3;

/** Looks again and again for work in the log that no queue knows of. Every replica does; messages are told apart by their ids. */
@Injectable()
export class ReconcilerLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly problems: ProblemLog;
  private readonly passes: Counter<'outcome'>;
  private running: Promise<unknown> | undefined;
  private readonly rounds: TailRounds;
  private takenBackAt = performance.now();
  private failures: { count: number; last: unknown } = { count: 0, last: undefined };

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    private readonly reconciler: Reconciler,
    private readonly processes: ProcessRegistry,
    private readonly setAside: SetAsideStreams,
    private readonly queues: Queues,
    @InjectPool() pool: Pool,
    metrics: Metrics,
    readiness: Readiness,
  ) {
    this.rounds = tailRounds(pool);
    readiness.register('reconciler', async () => this.complaint());
    this.problems = new ProblemLog((stream, error) => {
      if (!isFromNewerRelease(error)) {
        logger.error({ error, stream }, 'a stream cannot be reconciled; told once while it stays so');
        return;
      }
      metrics.leftToNewer.inc();
      logger.warn({ error, stream }, 'a stream is left to a newer release; told once while it stays so');
    });
    this.passes = new Counter({
      name: 'phaseline_reconciler_passes_total',
      help: 'Searches of the log for work that no queue knows of, by how they ended; left out while nothing can be due.',
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
      // Spread, so that replicas that started together do not look together.
      const pause = this.config.PHASELINE_RECONCILE_INTERVAL_MS * (0.75 + Math.random() / 2);
      await sleep(pause, undefined, { signal: this.shutdown }).catch(() => undefined);
      if (this.shutdown.aborted) return;
      // Timers are decided by the database's clock, but what such a process writes elsewhere has wrong times: it takes no work.
      if (this.processes.clock.complaint() !== undefined) continue;
      await this.takeBackLost();
      if (!this.reconciler.mayRest(this.rounds.unchangedSince)) await this.pass();
    }
  }

  /** What a dead process worked on does not wait for the next pass. */
  private async watch(): Promise<void> {
    while (!this.shutdown.aborted) {
      await sleep(WATCH_MS, undefined, { signal: this.shutdown }).catch(() => undefined);
      if (this.shutdown.aborted) return;
      if (!this.processes.someoneWorks || this.processes.clock.complaint() !== undefined) continue;
      try {
        const sent = await this.reconciler.sendOn(await this.processes.abandoned(), (stream, error) =>
          this.logger.warn(
            { error, stream },
            'the work of a dead process could not be sent on; the next pass tries again',
          ),
        );
        if (sent > 0) this.logger.info({ sent }, 'the work of a dead process was sent on');
      } catch (error) {
        this.logger.debug({ error }, 'it cannot be seen who has died');
      }
    }
  }

  private async pass(): Promise<void> {
    try {
      const watched = await this.setAside.begin();
      const { streams, sent } = await this.reconciler.pass((stream, error) => {
        this.problems.report(stream, error);
        watched.failed(stream, error);
      }, watched.skips);
      await watched.end();
      const broken = this.problems.endPass();
      this.failures = { count: 0, last: undefined };
      this.passes.inc({ outcome: 'done' });
      this.logger.debug({ streams, sent, broken }, 'reconciled');
    } catch (error) {
      this.passes.inc({ outcome: 'failed' });
      this.failures = { count: this.failures.count + 1, last: error };
      this.logger.warn({ error }, 'a pass of the reconciler failed; the next one comes soon');
    }
  }

  private async takeBackLost(): Promise<void> {
    if (performance.now() - this.takenBackAt < TAKE_BACK_MS) return;
    this.takenBackAt = performance.now();
    try {
      const messages = await this.queues.takeBackLost();
      if (messages > 0) this.logger.warn({ messages }, 'messages of workers that vanished long ago were taken back');
    } catch (error) {
      this.logger.debug({ error }, 'messages of vanished workers could not be searched for; it is tried again');
    }
  }

  /** A readiness check. */
  private complaint(): string | undefined {
    const { count, last } = this.failures;
    if (count < FAILED_PASSES) return undefined;
    const reason = last instanceof Error ? last.message : String(last);
    return `the last ${count} searches for lost work failed: ${reason}`;
  }
}
