import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore, isUnreachable, Subscription, UnmirroredFiles } from '@phaseline/event-store';
import { Lineage } from '@phaseline/history';
import { InjectConfig, InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import { MIRRORED_TYPES, mirrorEvents, mirrorFile, type MirrorParts } from '@phaseline/tool-execution';
import { CachedBlobs, Mirror, sha256 } from '@phaseline/workspace';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ToolRunnerConfig } from './tool-runner-config.js';

/** How often files are looked for whose time to be tried again has come. */
const RETRY_MS = 60_000;

/**
 * Keeps the files of all jobs on disk, behind the log: a disk that is full delays the mirror and nothing else. A single file
 * that cannot be written delays no other; it is tried again after a minute and then ever less often, and at every start.
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
    const root = resolve(config.WORKSPACE_ROOT);
    const mirror = new Mirror(root);
    const blobs = new CachedBlobs(store.blobs);
    const lineage = new Lineage(store);
    // One consumer a machine and folder: replicas beside each other share the work, those elsewhere have their own disk.
    const name = `mirror-${sha256(new TextEncoder().encode(`${hostname()}:${root}`)).slice(0, 16)}`;
    const unmirrored = new UnmirroredFiles(pool, { mirror: name, place: `${hostname()}:${root}` });
    const parts: MirrorParts = {
      mirror,
      blobs,
      lineage,
      unmirrored,
      onUnmirrored: ({ jobId, path }, error) =>
        logger.warn({ error, jobId, path }, 'a file is left out of the mirror; it is tried again'),
    };
    this.retry = async (all) => {
      try {
        const files = await unmirrored.retry((file) => mirrorFile(file, parts), { all });
        if (files > 0) logger.info({ files }, 'files that were left out are in the mirror now');
      } catch (error) {
        if (!isUnreachable(error))
          logger.warn({ error }, 'files that are left out of the mirror could not be tried again');
      }
    };
    this.subscription = new Subscription(pool, {
      name,
      replicaId: identity.processId,
      types: MIRRORED_TYPES,
      handle: (events) => mirrorEvents(events, parts),
      onError: (error) => logger.warn({ error }, 'the mirror of the workspaces is behind'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.subscription.start();
    this.again(true);
    this.timer = setInterval(() => this.again(false), RETRY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.retrying;
    await this.subscription.close();
  }

  private again(all: boolean): void {
    this.retrying = this.retrying.then(() => this.retry(all));
  }
}
