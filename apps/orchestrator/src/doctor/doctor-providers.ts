import type { Provider } from '@nestjs/common';
import { DeadLetters, ProcessRegistry, Quarantine } from '@phaseline/cluster';
import { EventStore, RELEASE } from '@phaseline/event-store';
import { Histories } from '@phaseline/repository';
import { PostgresAdmission } from '@phaseline/orchestration';
import { Queues } from '@phaseline/queue';
import { Metrics, serviceTokens } from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { SetAsideStreams } from '../reconciler/set-aside.js';
import { describeSlotWait } from '../tenants/describe-slot-wait.js';
import { JobWaiter } from './waits-for.js';

/** Providers that explain why a job makes no progress, and that quarantine one that cannot. */
export const doctorProviders: Provider[] = [
  {
    provide: Quarantine,
    inject: [serviceTokens.config, serviceTokens.pool, Metrics],
    useFactory: (config: OrchestratorConfig, pool: Pool, metrics: Metrics) => {
      const quarantine = new Quarantine(pool, { after: config.PHASELINE_SET_ASIDE_AFTER, release: RELEASE });
      metrics.addGauge(
        'phaseline_set_aside',
        'Quarantined streams, which failed repeatedly and wait for a person.',
        [],
        async () => [{ labels: {}, value: await quarantine.count() }],
      );
      return quarantine;
    },
  },
  {
    provide: SetAsideStreams,
    inject: [Quarantine, DeadLetters, EventStore, ProcessRegistry, serviceTokens.logger, serviceTokens.config],
    useFactory: (
      quarantine: Quarantine,
      letters: DeadLetters,
      store: EventStore,
      processes: ProcessRegistry,
      logger: Logger,
      config: OrchestratorConfig,
    ) =>
      new SetAsideStreams(
        { quarantine, letters, store, processes, logger },
        { letters: config.PHASELINE_SET_ASIDE_LETTERS },
      ),
  },
  {
    provide: JobWaiter,
    inject: [EventStore, Histories, Quarantine, ProcessRegistry, Queues, PostgresAdmission],
    useFactory: (
      store: EventStore,
      histories: Histories,
      quarantine: Quarantine,
      processes: ProcessRegistry,
      queues: Queues,
      admission: PostgresAdmission,
    ) =>
      new JobWaiter({
        store,
        histories,
        quarantine,
        processes,
        queues,
        slotOf: async (jobId) => {
          const wait = await admission.waitOf(jobId);
          return wait && describeSlotWait(wait);
        },
      }),
  },
];
