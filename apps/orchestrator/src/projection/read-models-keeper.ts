import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ControlListener, type Subscription } from '@phaseline/event-store';
import {
  foldBehindJobs,
  ReadModelsAhead,
  readModelsAreBehind,
  readModelsProjection,
  rebuildReadModels,
  RebuildUnderWay,
} from '@phaseline/projections';
import { InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** How often it looks for jobs that another release left standing. There are none but while releases change. */
const LOOK_MS = 10_000;

/**
 * Keeps the read models up with the log; replicas share the jobs among them. Where the tables are those of an older release
 * it builds its own first, beside them, while that release goes on with the old ones. Once the tables are those of a newer
 * release, it leaves its share to the replicas of that one. Jobs that an older release did not understand are folded anew.
 */
@Injectable()
export class ReadModelsKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;
  private readonly stop = new AbortController();
  private rebuilding: Promise<void> | undefined;
  private looking: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() private readonly pool: Pool,
    listener: ControlListener,
  ) {
    this.subscription = readModelsProjection(pool, {
      replicaId: identity.processId,
      listener,
      onError: (error, partition) => {
        if (error instanceof ReadModelsAhead) this.leave(error);
        else logger.warn({ error, partition }, 'the read models are behind the log; it is tried again');
      },
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
    this.look();
    this.timer = setInterval(() => this.look(), LOOK_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    clearInterval(this.timer);
    await this.rebuilding;
    await this.looking;
    await this.subscription.close();
  }

  /** Gives its partitions to the replicas of the newer release: here they would stand still. */
  private leave(error: ReadModelsAhead): void {
    if (this.stop.signal.aborted) return;
    this.stop.abort();
    clearInterval(this.timer);
    this.logger.warn({ error }, 'the read models are those of a newer release; they are left to it');
    void this.subscription.close();
  }

  private look(): void {
    this.looking = this.looking.then(async () => {
      if (this.stop.signal.aborted) return;
      try {
        const jobs = await foldBehindJobs(this.pool);
        if (jobs > 0)
          this.logger.info({ jobs }, 'jobs that an older release did not understand are in the read models');
      } catch (error) {
        this.logger.warn({ error }, 'jobs that stand still in the read models could not be folded; it is tried again');
      }
    });
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
