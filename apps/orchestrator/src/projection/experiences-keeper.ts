import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener, type Subscription } from '@phaseline/event-store';
import { experiencesProjection } from '@phaseline/projections';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** Keeps what jobs learned for later jobs of the same agent; one replica at a time does it. */
@Injectable()
export class ExperiencesKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;

  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    listener: ControlListener,
  ) {
    this.subscription = experiencesProjection(pool, {
      replicaId: identity.processId,
      listener,
      onError: (error) => logger.warn({ error }, 'what jobs learned is behind the log; it is tried again'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.subscription.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.subscription.close();
  }
}
