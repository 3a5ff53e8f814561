import { Injectable } from '@nestjs/common';
import { ControlListener } from '@phaseline/cluster';
import { createExperiencesProjection } from '@phaseline/projections';
import { EventStore } from '@phaseline/event-store';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { SubscriptionKeeper } from './subscription-keeper.js';

/** Stores what jobs learned, for later jobs of the same agent. */
@Injectable()
export class ExperiencesKeeper extends SubscriptionKeeper {
  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    listener: ControlListener,
    store: EventStore,
  ) {
    super(
      createExperiencesProjection(pool, {
        replicaId: identity.processId,
        cold: store.cold,
        listener,
        onError: (error) => logger.warn({ error }, 'storing what jobs learned failed; will retry'),
      }),
    );
  }
}
