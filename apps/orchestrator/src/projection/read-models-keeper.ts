import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener } from '@phaseline/cluster';
import { EventStore, type Subscription } from '@phaseline/event-store';
import {
  foldBehindJobs,
  ReadModelsAhead,
  areReadModelsBehind,
  createReadModelsProjection,
  rebuildReadModels,
  RebuildRunning,
} from '@phaseline/projections';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/**
 * Interval in milliseconds between searches for jobs that another release could not fold. Such jobs exist only during an
 * upgrade.
 */
const FOLD_BEHIND_INTERVAL_MS = 10_000;

/**
 * Keeps the read models up to date; replicas share the jobs. If the tables are those of an older release, it first
 * builds its own next to them while that release continues with the old ones. If they are those of a newer release, it
 * releases its partitions to replicas of that release. Jobs that an older release did not understand are folded again.
 */
@Injectable()
export class ReadModelsKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;
  private readonly stop = new AbortController();
  private rebuilding: Promise<void> | undefined;
  private foldingBehind: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() private readonly pool: Pool,
    listener: ControlListener,
    private readonly store: EventStore,
  ) {
    this.subscription = createReadModelsProjection(pool, {
      cold: store.cold,
      replicaId: identity.processId,
      listener,
      onError: (error, partition) => {
        if (error instanceof ReadModelsAhead) this.leaveToNewer(error);
        else logger.warn({ error, partition }, 'updating the read models failed; will retry');
      },
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (await areReadModelsBehind(this.pool)) {
      this.rebuilding = this.rebuild().catch((error: unknown) => {
        if (!this.stop.signal.aborted)
          this.logger.error({ error }, 'rebuilding the read models of an older release failed');
      });
    }
    // The subscription waits for the new tables by itself: a page that cannot be written yet is retried.
    await this.subscription.start();
    this.foldBehind();
    this.timer = setInterval(() => this.foldBehind(), FOLD_BEHIND_INTERVAL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    clearInterval(this.timer);
    await this.rebuilding;
    await this.foldingBehind;
    await this.subscription.close();
  }

  /** Releases the partitions to replicas of the newer release, because this one cannot update them. */
  private leaveToNewer(error: ReadModelsAhead): void {
    if (this.stop.signal.aborted) return;
    this.stop.abort();
    clearInterval(this.timer);
    this.logger.warn({ error }, 'the read models are those of a newer release; leaving them to its replicas');
    void this.subscription.close();
  }

  private foldBehind(): void {
    this.foldingBehind = this.foldingBehind.then(async () => {
      if (this.stop.signal.aborted) return;
      try {
        const jobs = await foldBehindJobs(this.pool, this.store.cold);
        if (jobs > 0)
          this.logger.info({ jobs }, 'folded jobs that an older release did not understand into the read models');
      } catch (error) {
        this.logger.warn({ error }, 'jobs that are behind in the read models could not be folded; will retry');
      }
    });
  }

  private async rebuild(): Promise<void> {
    this.logger.info('the read models are those of an older release; rebuilding them');
    try {
      const { jobs, events, elapsedMs } = await rebuildReadModels(this.pool, {
        cold: this.store.cold,
        signal: this.stop.signal,
      });
      this.logger.info({ jobs, events, elapsedMs }, 'rebuilt the read models');
    } catch (error) {
      // Another replica is rebuilding them.
      if (!(error instanceof RebuildRunning)) throw error;
    }
  }
}
