import type { Provider } from '@nestjs/common';
import { DeadLetters, ProcessRegistry, Quarantine } from '@phaseline/cluster';
import { EventStore, RELEASE } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { PostgresAdmission } from '@phaseline/orchestration';
import { Queues } from '@phaseline/queue';
import { Metrics, serviceTokens } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { QuarantineKeeper } from '../reconciler/quarantine-keeper.js';
import { describeSlotWait } from '../tenants/describe-slot-wait.js';
import { WaitExplainer } from './waits-for.js';

/** Providers that explain why a job makes no progress, and that quarantine one that cannot. */
export const doctorProviders: Provider[] = [
  {
    provide: Quarantine,
    inject: [serviceTokens.config, serviceTokens.pool, Metrics],
    useFactory: (config: OrchestratorConfig, pool: Pool, metrics: Metrics) => {
      const quarantine = new Quarantine(pool, {
        maxFailures: config.PHASELINE_QUARANTINE_AFTER_FAILURES,
        release: RELEASE,
      });
      metrics.addGauge(
        'phaseline_quarantined_streams',
        'Quarantined streams, which failed repeatedly and wait for a person.',
        [],
        async () => [{ labels: {}, value: await quarantine.count() }],
      );
      return quarantine;
    },
  },
  {
    provide: QuarantineKeeper,
    inject: [Quarantine, DeadLetters, EventStore, ProcessRegistry, serviceTokens.logger, serviceTokens.config],
    useFactory: (
      quarantine: Quarantine,
      deadLetters: DeadLetters,
      store: EventStore,
      processes: ProcessRegistry,
      logger: Logger,
      config: OrchestratorConfig,
    ) =>
      new QuarantineKeeper(
        { quarantine, deadLetters, store, processes, logger },
        { maxDeadLetters: config.PHASELINE_QUARANTINE_AFTER_DEAD_LETTERS },
      ),
  },
  {
    provide: WaitExplainer,
    inject: [EventStore, JobRepository, Quarantine, ProcessRegistry, Queues, PostgresAdmission],
    useFactory: (
      store: EventStore,
      repository: JobRepository,
      quarantine: Quarantine,
      processes: ProcessRegistry,
      queues: Queues,
      admission: PostgresAdmission,
    ) =>
      new WaitExplainer({
        store,
        repository,
        quarantine,
        processes,
        queues,
        findSlotWait: async (jobId) => {
          const wait = await admission.findWait(jobId);
          return wait && describeSlotWait(wait);
        },
      }),
  },
];
