import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore, isUnreachable, Subscription, UnmirroredFiles } from '@phaseline/event-store';
import { Lineage } from '@phaseline/repository';
import { InjectConfig, InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import { MIRRORED_TYPES, mirrorEvents, mirrorFile, type MirrorParts } from './mirror-tail.js';
import { CachedBlobs, Mirror, sha256 } from '@phaseline/workspace';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ToolRunnerConfig } from './tool-runner-config.js';

/** Interval in milliseconds between checks for skipped files that are due for a retry. */
const RETRY_MS = 60_000;

/**
 * Mirrors the files of all jobs to disk from the log. A full disk delays only the mirror. A file that cannot be written does
 * not delay the others; it is retried after a minute, then at growing intervals, and at every start.
 */
@Injectable()
export class MirrorKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly subscription: Subscription;
  private readonly retry: (all: boolean) => Promise<void>;
  private retrying: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectConfig() config: ToolRunnerConfig,
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    store: EventStore,
  ) {
    const root = resolve(config.PHASELINE_WORKSPACES_DIR);
    const mirror = new Mirror(root);
    const blobs = new CachedBlobs(store.blobs);
    const lineage = new Lineage(store);
    // One consumer per machine and folder: replicas on the same machine share the work, those elsewhere have their own
    // disk.
    const name = `mirror-${sha256(new TextEncoder().encode(`${hostname()}:${root}`)).slice(0, 16)}`;
    const unmirrored = new UnmirroredFiles(pool, { mirror: name, location: `${hostname()}:${root}` });
    const parts: MirrorParts = {
      mirror,
      blobs,
      lineage,
      unmirrored,
      onUnmirrored: ({ jobId, path }, error) =>
        logger.warn({ error, jobId, path }, 'a file could not be mirrored and was skipped; it will be retried'),
    };
    this.retry = async (all) => {
      try {
        const files = await unmirrored.retry((file) => mirrorFile(file, parts), { all });
        if (files > 0) logger.info({ files }, 'skipped files are in the mirror now');
      } catch (error) {
        if (!isUnreachable(error)) logger.warn({ error }, 'retrying the skipped files of the mirror failed');
      }
    };
    this.subscription = new Subscription(pool, {
      name,
      cold: store.cold,
      replicaId: identity.processId,
      types: MIRRORED_TYPES,
      handle: (events) => mirrorEvents(events, parts),
      onError: (error) => logger.warn({ error }, 'the workspace mirror is falling behind'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.subscription.start();
    this.scheduleRetry(true);
    this.timer = setInterval(() => this.scheduleRetry(false), RETRY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.retrying;
    await this.subscription.close();
  }

  private scheduleRetry(all: boolean): void {
    this.retrying = this.retrying.then(() => this.retry(all));
  }
}
