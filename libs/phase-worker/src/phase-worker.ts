import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { PhaseKind } from '@phaseline/domain';
import { ControlListener, EventStore, ProcessRegistry } from '@phaseline/event-store';
import { Histories, orLeaveToNewer, withholdingContent } from '@phaseline/history';
import { PhaseRunner, sleepAwake, type ModelCatalogue, type RunOutcome } from '@phaseline/phase-runner';
import { Queues, type DeliveryContext, type Postponed } from '@phaseline/queue';
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
import { watchedModels } from './watched-models.js';
import type { WorkerConfig } from './worker-config.js';

export const PHASE_KIND = Symbol('phase kind');
export const MODELS = Symbol('models');

/** How long until a phase that another process holds is looked at again. */
const LOOK_AGAIN_MS = 1_500;
/** How long until a model server that could not be asked what its model can take is asked again. */
const ASK_AGAIN_MS = 15_000;
/** A pause that is over for this much longer without anything happening hangs. */
const GRACE_MS = 10_000;

/** Takes the messages of one queue and lets the phase runner work on what they point to. */
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
      histories: new Histories(store),
      blobs: new CachedBlobs(store.blobs),
      models: watchedModels(models, progress),
      tools,
      sender: queues,
      leases: processes,
      holdings: processes,
      clock: processes.clock,
      sleep: (delayMs, signal) =>
        progress.within('waits for its model server to be back', delayMs + GRACE_MS, () => sleepAwake(delayMs, signal)),
    });
    // Orchestrators dispatch no more phases than there are places for.
    processes.offer(config.PHASELINE_PHASES);
  }

  async onApplicationBootstrap(): Promise<void> {
    this.control.subscribe((jobId) => {
      this.runner
        .recheck(jobId)
        .catch((error: unknown) => this.logger.warn({ error, jobId }, 'a job could not be looked at after it changed'));
    });
    await this.queues.work(this.kind, (payload, delivery) => this.handle(payload, delivery), {
      concurrency: this.config.PHASELINE_PHASES,
    });
  }

  private async handle(
    payload: { jobId: string; phase: number; traceparent?: string | undefined },
    delivery: DeliveryContext,
  ): Promise<void | Postponed> {
    return orLeaveToNewer(
      () =>
        this.progress.run(`phase ${payload.phase} of job ${payload.jobId}`, async () =>
          postponed(await withholdingContent(payload.jobId, () => this.runner.run(payload, delivery.signal))),
        ),
      (error) => {
        this.metrics.leftToNewer.inc();
        this.logger.warn({ error, jobId: payload.jobId }, 'a phase is left to a newer release');
      },
    );
  }
}

function postponed(outcome: RunOutcome): Postponed | undefined {
  if (outcome === 'held-elsewhere') return { retryAt: Date.now() + LOOK_AGAIN_MS };
  if (outcome === 'model-away') return { retryAt: Date.now() + ASK_AGAIN_MS };
  // Another worker may take it at once: this one is going away.
  if (outcome === 'interrupted') return { retryAt: Date.now() };
  return undefined;
}
