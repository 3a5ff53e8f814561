import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener, ProcessRegistry } from '@phaseline/cluster';
import { EventStore } from '@phaseline/event-store';
import { JobRepository, runOrLeaveToNewerRelease, withholdContent } from '@phaseline/repository';
import { Queues, type DeliveryContext, type Postponement } from '@phaseline/queue';
import {
  InjectConfig,
  InjectIdentity,
  InjectLogger,
  Metrics,
  Progress,
  type ServiceIdentity,
} from '@phaseline/service';
import { ToolRunner, type ToolWork } from '@phaseline/execution';
import { ToolRegistry } from '@phaseline/tools';
import { CachedBlobs } from '@phaseline/workspace';
import type { Logger } from 'pino';
import type { ToolRunnerConfig } from './tool-runner-config.js';

/** Delay in milliseconds before a call that another process holds is checked again. */
const RECHECK_DELAY_MS = 1_500;

/** Handles the messages of the `tools` queue. */
@Injectable()
export class ToolQueue implements OnApplicationBootstrap {
  private readonly runner: ToolRunner;

  constructor(
    @InjectConfig() private readonly config: ToolRunnerConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectIdentity() identity: ServiceIdentity,
    private readonly queues: Queues,
    private readonly metrics: Metrics,
    private readonly progress: Progress,
    private readonly control: ControlListener,
    store: EventStore,
    processes: ProcessRegistry,
    tools: ToolRegistry,
  ) {
    this.runner = new ToolRunner({
      processId: identity.processId,
      histories: new JobRepository(store),
      blobs: new CachedBlobs(store.blobs),
      tools,
      sender: queues,
      leases: processes,
      heldLeases: processes,
      limits: { attempts: config.PHASELINE_TOOL_ATTEMPTS, backoffMs: config.PHASELINE_TOOL_BACKOFF_MS },
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.control.subscribe((jobId) => {
      this.runner
        .recheck(jobId)
        .catch((error: unknown) => this.logger.warn({ error, jobId }, 'a changed job could not be checked'));
    });
    await this.queues.work('tools', (payload, delivery) => this.handle(payload, delivery), {
      concurrency: this.config.PHASELINE_TOOL_CALLS,
    });
  }

  private async handle(payload: ToolWork, delivery: DeliveryContext): Promise<void | Postponement> {
    return runOrLeaveToNewerRelease(
      async () => {
        const outcome = await this.progress.run(`call ${payload.callId} of job ${payload.jobId}`, () =>
          withholdContent(payload.jobId, () => this.runner.run(payload, delivery.signal, delivery.stalledCount)),
        );
        if (outcome === 'held-elsewhere') return { retryAt: Date.now() + RECHECK_DELAY_MS };
        return outcome === 'interrupted' ? { retryAt: Date.now() } : undefined;
      },
      (error) => {
        this.metrics.leftToNewer.inc();
        this.logger.warn(
          { error, jobId: payload.jobId, callId: payload.callId },
          'left a call to tool-runners of a newer release',
        );
      },
    );
  }
}
