import { Module } from '@nestjs/common';
import { bootstrapService } from '@phaseline/service';
import { documentsPack, ToolRegistry } from '@phaseline/tools';
import { MirrorKeeper } from './mirror-keeper.js';
import { toolRunnerConfig } from './tool-runner-config.js';
import { ToolQueue } from './tool-queue.js';

class ToolRunnerModule {}
Module({
  providers: [{ provide: ToolRegistry, useFactory: () => new ToolRegistry([documentsPack]) }, ToolQueue, MirrorKeeper],
})(ToolRunnerModule);

await bootstrapService(toolRunnerConfig, { name: 'tool-runner', module: () => ToolRunnerModule });
