import { Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import type { ProcessId, Sender } from '@phaseline/contracts';
import { EventStore } from '@phaseline/event-store';
import { SecretStore } from '@phaseline/identity';
import { Queues } from '@phaseline/queue';
import type { CallEndListener } from '@phaseline/execution';
import { bootstrapService, Progress, Readiness, serviceTokens, type ServiceIdentity } from '@phaseline/service';
import { ToolRegistry, type ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { CallWorker } from './call-worker.js';
import { EndedCalls } from './ended-calls.js';
import { QueueConsumer } from './queue-consumer.js';
import { RunnerPorts } from './runner-ports.js';
import type { BaseToolRunnerConfig } from './tool-runner-config.js';
import { ToolWatch } from './tool-watch.js';

/** The packs that a tool-runner executes. */
export interface ExecutedPacks {
  readonly packs: readonly ToolPack[];
  readonly callEnds?: CallEndListener;
  /** Closes the connections that the packs keep open. */
  close(): Promise<void>;
}

/** What a process provides to its packs. */
interface PackProcess {
  readonly processId: ProcessId;
  readonly database: Pool;
  readonly store: EventStore;
  readonly sender: Sender;
  readonly secrets: SecretStore;
  readonly logger: Logger;
}

export interface ToolRunnerSetUp<Schema extends z.ZodType<BaseToolRunnerConfig>> {
  /** Made with `createToolRunnerConfig`. */
  readonly config: Schema;
  /** Creates the packs. */
  readonly createPacks: (config: z.output<Schema>, process: PackProcess) => ExecutedPacks;
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
        inject: [serviceTokens.identity, serviceTokens.pool, EventStore, Queues, SecretStore, serviceTokens.logger],
        useFactory: (
          { processId }: ServiceIdentity,
          database: Pool,
          store: EventStore,
          sender: Queues,
          secrets: SecretStore,
          logger: Logger,
        ) => new PacksInUse(createPacks(config, { processId, database, store, sender, secrets, logger })),
      },
      {
        provide: EndedCalls,
        inject: [PacksInUse],
        useFactory: ({ executed }: PacksInUse) => new EndedCalls(executed.callEnds),
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
