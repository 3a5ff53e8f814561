import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener, type Subscription } from '@phaseline/event-store';
import { jobsProjection } from '@phaseline/projections';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** Keeps the table of jobs up with the log; replicas share the jobs among them. */
@Injectable()
export class JobsProjection implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;

  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    listener: ControlListener,
  ) {
    this.subscription = jobsProjection(pool, {
      replicaId: identity.processId,
      listener,
      onError: (error, partition) =>
        logger.warn({ error, partition }, 'the list of jobs is behind the log; it is tried again'),
    });
  }

  onApplicationBootstrap(): Promise<void> {
    return this.subscription.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.subscription.close();
  }
}
