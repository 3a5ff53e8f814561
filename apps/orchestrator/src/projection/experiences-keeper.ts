import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener } from '@phaseline/cluster';
import { type Subscription } from '@phaseline/event-store';
import { createExperiencesProjection } from '@phaseline/projections';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** Stores what jobs learned, for later jobs of the same agent; one replica at a time does this. */
@Injectable()
export class ExperiencesKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;

  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    listener: ControlListener,
  ) {
    this.subscription = createExperiencesProjection(pool, {
      replicaId: identity.processId,
      listener,
      onError: (error) => logger.warn({ error }, 'storing what jobs learned failed; will retry'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.subscription.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.subscription.close();
  }
}
