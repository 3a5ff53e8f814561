import { Module } from '@nestjs/common';
import type { PhaseKind } from '@phaseline/domain';
import { offeredPacks } from '@phaseline/inline-packs';
import { bootstrapService, serviceTokens } from '@phaseline/service';
import { ToolRegistry, type ToolPack } from '@phaseline/tools';
import type { Logger } from 'pino';
import { openModels } from './model-catalogue.js';
import { MODELS, PHASE_KIND, PhaseWorker } from './phase-worker.js';
import { QueueConsumer } from './queue-consumer.js';
import { RunnerPorts } from './runner-ports.js';
import { workerConfig, type WorkerConfig } from './worker-config.js';

/** Runs a worker for phases of one kind. Offers `morePacks` in addition to the shipped packs. */
export async function runPhaseWorker(
  kind: PhaseKind,
  defaultPort: number,
  morePacks: readonly ToolPack[] = [],
): Promise<void> {
  await bootstrapService(workerConfig(defaultPort), {
    name: `${kind}-worker`,
    module: (config) => workerModule(kind, config, morePacks),
  });
}

function workerModule(kind: PhaseKind, config: WorkerConfig, morePacks: readonly ToolPack[]) {
  class PhaseWorkerModule {}
  Module({
    providers: [
      { provide: PHASE_KIND, useValue: kind },
      {
        provide: MODELS,
        inject: [serviceTokens.logger],
        useFactory: (logger: Logger) =>
          openModels(config, (error) =>
            logger.warn({ error }, 'changed model profiles are invalid; keeping the previous ones'),
          ),
      },
      { provide: ToolRegistry, useFactory: () => new ToolRegistry([...offeredPacks, ...morePacks]) },
      RunnerPorts,
      QueueConsumer,
      PhaseWorker,
    ],
  })(PhaseWorkerModule);
  return PhaseWorkerModule;
}
