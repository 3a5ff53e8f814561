import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener } from '@phaseline/cluster';
import { type Subscription } from '@phaseline/event-store';
import { createLearningTracesProjection } from '@phaseline/learning';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** Stores learning traces from the log; one replica at a time does this. */
@Injectable()
export class LearningTracesKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;

  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    listener: ControlListener,
  ) {
    this.subscription = createLearningTracesProjection(pool, {
      replicaId: identity.processId,
      listener,
      onError: (error) => logger.warn({ error }, 'storing learning traces failed; will retry'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.subscription.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.subscription.close();
  }
}
