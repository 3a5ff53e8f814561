import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Reconciler } from '@phaseline/orchestration';
import { InjectConfig, InjectLogger, InjectShutdownSignal, Metrics } from '@phaseline/service';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ProblemLog } from './problem-log.js';

/** Looks again and again for work in the log that no queue knows of. Every replica does; messages are told apart by their ids. */
@Injectable()
export class ReconcilerLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly problems: ProblemLog;
  private readonly passes: Counter<'outcome'>;
  private running: Promise<void> | undefined;

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    private readonly reconciler: Reconciler,
    metrics: Metrics,
  ) {
    this.problems = new ProblemLog((stream, error) =>
      logger.error({ error, stream }, 'a stream cannot be reconciled; told once while it stays so'),
    );
    this.passes = new Counter({
      name: 'phaseline_reconciler_passes_total',
      help: 'Searches of the log for work that no queue knows of, by how they ended.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.shutdown.aborted) {
      // Spread, so that replicas that started together do not look together.
      const pause = this.config.PHASELINE_RECONCILE_INTERVAL_MS * (0.75 + Math.random() / 2);
      await sleep(pause, undefined, { signal: this.shutdown }).catch(() => undefined);
      if (!this.shutdown.aborted) await this.pass();
    }
  }

  private async pass(): Promise<void> {
    try {
      const { streams, sent } = await this.reconciler.pass((stream, error) => this.problems.report(stream, error));
      const broken = this.problems.endPass();
      this.passes.inc({ outcome: 'done' });
      this.logger.debug({ streams, sent, broken }, 'reconciled');
    } catch (error) {
      this.passes.inc({ outcome: 'failed' });
      this.logger.warn({ error }, 'a pass of the reconciler failed; the next one comes soon');
    }
  }
}
