import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore } from '@phaseline/event-store';
import { bootstrapService, Progress, Readiness, serviceTokens } from '@phaseline/service';
import { ToolRegistry, type ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import { createExecutedPacks, type ExecutedPacks } from './executed-packs.js';
import { createPackHost } from './storing-packs.js';
import { MirrorKeeper } from './mirror-keeper.js';
import { toolRunnerConfig, type ToolRunnerConfig } from './tool-runner-config.js';
import { ToolQueue } from './tool-queue.js';
import { ToolWatch } from './tool-watch.js';

/** Runs a tool-runner. Executes `morePacks` in addition to the shipped packs. */
export async function runToolRunner(morePacks: readonly ToolPack[] = []): Promise<void> {
  await bootstrapService(toolRunnerConfig, {
    name: 'tool-runner',
    module: (config) => toolRunnerModule(config, morePacks),
  });
}

/** Closes the connections of the packs when the service stops. */
class PacksInUse implements OnApplicationShutdown {
  constructor(readonly executed: ExecutedPacks) {}

  async onApplicationShutdown(): Promise<void> {
    await this.executed.close();
  }
}

function toolRunnerModule(config: ToolRunnerConfig, morePacks: readonly ToolPack[]) {
  class ToolRunnerModule {}
  Module({
    providers: [
      {
        provide: PacksInUse,
        inject: [serviceTokens.pool, EventStore],
        useFactory: (pool: Pool, store: EventStore) =>
          new PacksInUse(createExecutedPacks(config, createPackHost(pool, store))),
      },
      {
        provide: ToolRegistry,
        inject: [Progress, Readiness, PacksInUse],
        useFactory: (progress: Progress, readiness: Readiness, { executed }: PacksInUse) => {
          const watch = new ToolWatch(progress);
          readiness.register('tools', async () => watch.describeOverdue());
          return new ToolRegistry(watch.watchPacks([...executed.packs, ...morePacks]));
        },
      },
      ToolQueue,
      MirrorKeeper,
    ],
  })(ToolRunnerModule);
  return ToolRunnerModule;
}
