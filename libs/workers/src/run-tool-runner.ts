import { Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { EventStore } from '@phaseline/event-store';
import { bootstrapService, Progress, Readiness, serviceTokens } from '@phaseline/service';
import { ToolRegistry, type ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { CallWorker } from './call-worker.js';
import { QueueConsumer } from './queue-consumer.js';
import { RunnerPorts } from './runner-ports.js';
import type { BaseToolRunnerConfig } from './tool-runner-config.js';
import { ToolWatch } from './tool-watch.js';

/** The packs that a tool-runner executes. */
export interface ExecutedPacks {
  readonly packs: readonly ToolPack[];
  /** Closes the connections that the packs keep open. */
  close(): Promise<void>;
}

export interface ToolRunnerSetUp<Schema extends z.ZodType<BaseToolRunnerConfig>> {
  /** Made with `createToolRunnerConfig`. */
  readonly config: Schema;
  /** Creates the packs; `database` and `store` are those of the process. */
  readonly createPacks: (config: z.output<Schema>, database: Pool, store: EventStore) => ExecutedPacks;
  /** More Nest providers that run in the process. */
  readonly providers?: readonly Provider[];
}

/** Runs a tool-runner: the consumer of remote calls with the given packs. */
export async function runToolRunner<Schema extends z.ZodType<BaseToolRunnerConfig>>(
  setUp: ToolRunnerSetUp<Schema>,
): Promise<void> {
  await bootstrapService(setUp.config, {
    name: 'tool-runner',
    module: (config) => createToolRunnerModule(config, setUp),
  });
}

/** Closes the connections of the packs when the service stops. */
class PacksInUse implements OnApplicationShutdown {
  constructor(readonly executed: ExecutedPacks) {}

  async onApplicationShutdown(): Promise<void> {
    await this.executed.close();
  }
}

function createToolRunnerModule<Schema extends z.ZodType<BaseToolRunnerConfig>>(
  config: z.output<Schema>,
  { createPacks, providers = [] }: ToolRunnerSetUp<Schema>,
) {
  class ToolRunnerModule {}
  Module({
    providers: [
      {
        provide: PacksInUse,
        inject: [serviceTokens.pool, EventStore],
        useFactory: (pool: Pool, store: EventStore) => new PacksInUse(createPacks(config, pool, store)),
      },
      {
        provide: ToolRegistry,
        inject: [Progress, Readiness, PacksInUse],
        useFactory: (progress: Progress, readiness: Readiness, { executed }: PacksInUse) => {
          const watch = new ToolWatch(progress);
          readiness.register('tools', async () => watch.describeOverdue());
          return new ToolRegistry(watch.watchPacks(executed.packs));
        },
      },
      RunnerPorts,
      QueueConsumer,
      CallWorker,
      ...providers,
    ],
  })(ToolRunnerModule);
  return ToolRunnerModule;
}
