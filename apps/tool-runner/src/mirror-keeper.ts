import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore, Subscription } from '@phaseline/event-store';
import { Lineage } from '@phaseline/history';
import { InjectConfig, InjectIdentity, InjectLogger, InjectPool, type ServiceIdentity } from '@phaseline/service';
import { MIRRORED_TYPES, mirrorEvents } from '@phaseline/tool-execution';
import { CachedBlobs, Mirror, sha256 } from '@phaseline/workspace';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ToolRunnerConfig } from './tool-runner-config.js';

/** Keeps the files of all jobs on disk, behind the log: a disk that is full delays the mirror and nothing else. */
@Injectable()
export class MirrorKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly subscription: Subscription;

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
    this.subscription = new Subscription(pool, {
      // One consumer a machine and folder: replicas beside each other share the work, those elsewhere have their own disk.
      name: `mirror-${sha256(new TextEncoder().encode(`${hostname()}:${root}`)).slice(0, 16)}`,
      replicaId: identity.processId,
      types: MIRRORED_TYPES,
      handle: (events) => mirrorEvents(events, mirror, blobs, lineage),
      onError: (error) => logger.warn({ error }, 'the mirror of the workspaces is behind'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.subscription.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription.close();
  }
}
