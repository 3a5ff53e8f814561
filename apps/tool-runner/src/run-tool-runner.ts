import { Module } from '@nestjs/common';
import { bootstrapService, Progress, Readiness } from '@phaseline/service';
import { documentsPack, ToolRegistry, type ToolPack } from '@phaseline/tools';
import { MirrorKeeper } from './mirror-keeper.js';
import { toolRunnerConfig } from './tool-runner-config.js';
import { ToolQueue } from './tool-queue.js';
import { ToolWatch } from './tool-watch.js';

/** The whole `main` of a tool-runner. `morePacks` are executed beside those that ship. */
export async function runToolRunner(morePacks: readonly ToolPack[] = []): Promise<void> {
  class ToolRunnerModule {}
  Module({
    providers: [
      {
        provide: ToolRegistry,
        inject: [Progress, Readiness],
        useFactory: (progress: Progress, readiness: Readiness) => {
          const watch = new ToolWatch(progress);
          readiness.register('tools', async () => watch.complaint());
          return new ToolRegistry(watch.packs([documentsPack, ...morePacks]));
        },
      },
      ToolQueue,
      MirrorKeeper,
    ],
  })(ToolRunnerModule);
  await bootstrapService(toolRunnerConfig, { name: 'tool-runner', module: () => ToolRunnerModule });
}
