import { sleepUntilAborted } from '@phaseline/basics';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { PhaseKind } from '@phaseline/domain';
import { AnswerPublisher, ControlListener, ProcessRegistry } from '@phaseline/cluster';
import { parseHandedEnd, PhaseRunner, type ModelCatalogue } from '@phaseline/execution';
import { InjectConfig, InjectLogger, InjectPool, Progress } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { QueueConsumer } from './queue-consumer.js';
import { RunnerPorts } from './runner-ports.js';
import { watchModels } from './watch-models.js';
import type { WorkerConfig } from './worker-config.js';

export const PHASE_KIND = Symbol('phase kind');
export const MODELS = Symbol('models');

/** Time in milliseconds after the end of a pause without any activity, after which the phase counts as stuck. */
const GRACE_MS = 10_000;

/** Runs the phases named by the messages of the queue of one kind. */
@Injectable()
export class PhaseWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly runner: PhaseRunner;
  private readonly answers: AnswerPublisher;

  constructor(
    @Inject(PHASE_KIND) private readonly kind: PhaseKind,
    @InjectConfig() private readonly config: WorkerConfig,
    @Inject(MODELS) models: ModelCatalogue,
    private readonly consumer: QueueConsumer,
    ports: RunnerPorts,
    progress: Progress,
    processes: ProcessRegistry,
    @InjectPool() pool: Pool,
    @InjectLogger() logger: Logger,
    control: ControlListener,
  ) {
    this.answers = new AnswerPublisher(pool, control, (error) =>
      logger.debug({ error }, 'a piece of an answer could not be shown'),
    );
    this.runner = new PhaseRunner({
      ...ports,
      models: watchModels(models, progress),
      clock: processes.clock,
      liveAnswers: this.answers,
      sleep: (delayMs, signal) =>
        progress.runPart('waits for its model server to recover', delayMs + GRACE_MS, () =>
          sleepUntilAborted(delayMs, signal),
        ),
    });
    // Tells orchestrators how many phases this worker can run; they dispatch no more than all workers together can run.
    processes.setSlots(config.PHASELINE_CONCURRENT_PHASES);
  }

  beforeApplicationShutdown(): void {
    this.answers.close();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.consumer.start({
      name: this.kind,
      concurrency: this.config.PHASELINE_CONCURRENT_PHASES,
      describe: ({ jobId, phase }) => `phase ${phase} of job ${jobId}`,
      run: (payload, { signal, enclosed }) =>
        this.runner.run({ ...payload, end: parseHandedEnd(payload, enclosed) }, signal),
      recheck: (jobId) => this.runner.recheck(jobId),
    });
  }
}
