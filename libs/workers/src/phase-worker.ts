import { sleepUntilAborted } from '@phaseline/basics';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { PhaseKind } from '@phaseline/domain';
import { ControlListener, ProcessRegistry } from '@phaseline/cluster';
import { EventStore } from '@phaseline/event-store';
import { JobRepository, runOrLeaveToNewerRelease, withholdContent } from '@phaseline/repository';
import { PhaseRunner, type ModelCatalogue, type RunOutcome } from '@phaseline/execution';
import { Queues, type DeliveryContext, type Postponement } from '@phaseline/queue';
import {
  InjectConfig,
  InjectIdentity,
  InjectLogger,
  Metrics,
  Progress,
  type ServiceIdentity,
} from '@phaseline/service';
import { ToolRegistry } from '@phaseline/tools';
import { CachedBlobs } from '@phaseline/workspace';
import type { Logger } from 'pino';
import { watchModels } from './watch-models.js';
import type { WorkerConfig } from './worker-config.js';

export const PHASE_KIND = Symbol('phase kind');
export const MODELS = Symbol('models');

/** Delay in milliseconds before a phase that another process holds is checked again. */
const RECHECK_DELAY_MS = 1_500;
/** Delay in milliseconds before a model server that did not report its limits is asked again. */
const MODEL_RECHECK_DELAY_MS = 15_000;
/** Time in milliseconds after the end of a pause without any activity, after which the phase counts as stuck. */
const GRACE_MS = 10_000;

/** Handles the messages of one queue: runs the phase that each message points to. */
@Injectable()
export class PhaseWorker implements OnApplicationBootstrap {
  private readonly runner: PhaseRunner;

  constructor(
    @Inject(PHASE_KIND) private readonly kind: PhaseKind,
    @InjectConfig() private readonly config: WorkerConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectIdentity() identity: ServiceIdentity,
    @Inject(MODELS) models: ModelCatalogue,
    private readonly queues: Queues,
    private readonly metrics: Metrics,
    private readonly progress: Progress,
    private readonly control: ControlListener,
    store: EventStore,
    processes: ProcessRegistry,
    tools: ToolRegistry,
  ) {
    this.runner = new PhaseRunner({
      processId: identity.processId,
      histories: new JobRepository(store),
      blobs: new CachedBlobs(store.blobs),
      models: watchModels(models, progress),
      tools,
      sender: queues,
      leases: processes,
      heldLeases: processes,
      clock: processes.clock,
      sleep: (delayMs, signal) =>
        progress.runPart('waits for its model server to be back', delayMs + GRACE_MS, () =>
          sleepUntilAborted(delayMs, signal),
        ),
    });
    // Orchestrators dispatch no more phases than workers offer to run.
    processes.setSlots(config.PHASELINE_PHASES);
  }

  async onApplicationBootstrap(): Promise<void> {
    this.control.subscribe((jobId) => {
      this.runner
        .recheck(jobId)
        .catch((error: unknown) => this.logger.warn({ error, jobId }, 'a changed job could not be checked'));
    });
    await this.queues.work(this.kind, (payload, delivery) => this.handle(payload, delivery), {
      concurrency: this.config.PHASELINE_PHASES,
    });
  }

  private async handle(
    payload: { jobId: string; phase: number; traceparent?: string | undefined },
    delivery: DeliveryContext,
  ): Promise<void | Postponement> {
    return runOrLeaveToNewerRelease(
      () =>
        this.progress.run(`phase ${payload.phase} of job ${payload.jobId}`, async () =>
          postpone(await withholdContent(payload.jobId, () => this.runner.run(payload, delivery.signal))),
        ),
      (error) => {
        this.metrics.leftToNewer.inc();
        this.logger.warn({ error, jobId: payload.jobId }, 'left a phase to workers of a newer release');
      },
    );
  }
}

function postpone(outcome: RunOutcome): Postponement | undefined {
  if (outcome === 'held-elsewhere') return { retryAt: Date.now() + RECHECK_DELAY_MS };
  if (outcome === 'model-away') return { retryAt: Date.now() + MODEL_RECHECK_DELAY_MS };
  // This worker is shutting down, so another may take the phase at once.
  if (outcome === 'interrupted') return { retryAt: Date.now() };
  return undefined;
}
