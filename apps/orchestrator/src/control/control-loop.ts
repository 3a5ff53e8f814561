import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener, Subscription } from '@phaseline/event-store';
import { JobDriver } from '@phaseline/orchestration';
import {
  InjectConfig,
  InjectIdentity,
  InjectLogger,
  InjectPool,
  InjectShutdownSignal,
  type ServiceIdentity,
} from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { advanceJobs, CONTROL_TYPES } from './advance-jobs.js';

/** Follows the log and decides what each job does next; replicas share the jobs among them. */
@Injectable()
export class ControlLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;
  private closing: Promise<void> | undefined;

  constructor(
    @InjectConfig() config: OrchestratorConfig,
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    @InjectShutdownSignal() shutdown: AbortSignal,
    listener: ControlListener,
    driver: JobDriver,
  ) {
    this.subscription = new Subscription(pool, {
      // Checkpoints are stored under this name.
      name: 'orchestrator',
      replicaId: identity.processId,
      types: CONTROL_TYPES,
      listener,
      handle: advanceJobs({
        driver,
        concurrency: config.PHASELINE_CONTROL_CONCURRENCY,
        onProblem: (jobId, error) =>
          logger.error({ error, jobId }, 'a job could not be decided; the reconciler tries again'),
      }),
      onError: (error, partition) =>
        logger.warn({ error, partition }, 'the log could not be followed; it is tried again'),
    });
    // At once, and not when it is this one's turn: the queues, which a decision needs, are closed before.
    shutdown.addEventListener('abort', () => void this.close());
  }

  onApplicationBootstrap(): Promise<void> {
    return this.subscription.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private close(): Promise<void> {
    this.closing ??= this.subscription.close();
    return this.closing;
  }
}
