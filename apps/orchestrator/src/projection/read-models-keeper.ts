import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener, type Subscription } from '@phaseline/event-store';
import { readModelsAreBehind, readModelsProjection, rebuildReadModels, RebuildUnderWay } from '@phaseline/projections';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/**
 * Keeps the read models up with the log; replicas share the jobs among them. Where the tables are those of an older release
 * it builds its own first, beside them, while that release goes on with the old ones.
 */
@Injectable()
export class ReadModelsKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;
  private readonly stop = new AbortController();
  private rebuilding: Promise<void> | undefined;

  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() private readonly pool: Pool,
    listener: ControlListener,
  ) {
    this.subscription = readModelsProjection(pool, {
      replicaId: identity.processId,
      listener,
      onError: (error, partition) =>
        logger.warn({ error, partition }, 'the read models are behind the log; it is tried again'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (await readModelsAreBehind(this.pool)) {
      this.rebuilding = this.rebuild().catch((error: unknown) => {
        if (!this.stop.signal.aborted)
          this.logger.error({ error }, 'the read models of an older release could not be built anew');
      });
    }
    // It waits for the new tables by itself: a page that cannot be written yet is tried again.
    await this.subscription.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.rebuilding;
    await this.subscription.close();
  }

  private async rebuild(): Promise<void> {
    this.logger.info('the read models are those of an older release; they are built anew');
    try {
      const { jobs, events, seconds } = await rebuildReadModels(this.pool, { signal: this.stop.signal });
      this.logger.info({ jobs, events, seconds }, 'the read models are built');
    } catch (error) {
      // Another replica is at it.
      if (!(error instanceof RebuildUnderWay)) throw error;
    }
  }
}
