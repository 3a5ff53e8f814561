import { Injectable } from '@nestjs/common';
import { ControlListener } from '@phaseline/cluster';
import { createLearningTracesProjection } from '@phaseline/learning';
import { EventStore } from '@phaseline/event-store';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { SubscriptionKeeper } from './subscription-keeper.js';

/** Stores learning traces from the log. */
@Injectable()
export class LearningTracesKeeper extends SubscriptionKeeper {
  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    listener: ControlListener,
    store: EventStore,
  ) {
    super(
      createLearningTracesProjection(pool, {
        replicaId: identity.processId,
        cold: store.cold,
        listener,
        onError: (error) => logger.warn({ error }, 'storing learning traces failed; will retry'),
      }),
    );
  }
}
