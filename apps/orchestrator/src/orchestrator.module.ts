import { Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ControlListener, EventStore, ProcessRegistry } from '@phaseline/event-store';
import { Histories } from '@phaseline/history';
import { JobDriver, Reconciler, type AgentSource } from '@phaseline/orchestration';
import { JobViews } from '@phaseline/projections';
import { Queues } from '@phaseline/queue';
import { serviceTokens, type ServiceIdentity } from '@phaseline/service';
import type { Pool } from 'pg';
import { AgentsController } from './agents/agents.controller.js';
import { AGENTS, loadAgents } from './agents/load-agents.js';
import { ControlLoop } from './control/control-loop.js';
import { DocsController } from './docs/docs.controller.js';
import { OpenApiHolder } from './docs/open-api-holder.js';
import { EVENT_STREAM_TIMES, eventStreamTimes } from './events/event-stream-times.js';
import { EventsController } from './events/events.controller.js';
import { JobWakes } from './events/job-wakes.js';
import { FilesController } from './files/files.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import { Submissions } from './jobs/submissions.js';
import { definitionVariables, type OrchestratorConfig } from './orchestrator-config.js';
import { ProblemFilter } from './problem/problem.filter.js';
import { ValidationPipe } from './problem/validation.pipe.js';
import { JobGauges } from './projection/job-gauges.js';
import { JobsProjection } from './projection/jobs-projection.js';
import { DeadLettersController } from './queues/dead-letters.controller.js';
import { JobsConsumer } from './queues/jobs-consumer.js';
import { QueuesController } from './queues/queues.controller.js';
import { ReconcilerLoop } from './reconciler/reconciler-loop.js';
import { JobHistory } from './state/job-history.js';
import { StateController } from './state/state.controller.js';

/** The parts of other libs, put together once for this process. */
const parts: Provider[] = [
  {
    provide: AGENTS,
    inject: [serviceTokens.config],
    useFactory: (config: OrchestratorConfig) =>
      loadAgents({
        agentsDir: config.PHASELINE_AGENTS_DIR,
        workflowsDir: config.PHASELINE_WORKFLOWS_DIR,
        modelsDir: config.PHASELINE_MODELS_DIR,
        variables: definitionVariables(config),
      }),
  },
  { provide: Histories, inject: [EventStore], useFactory: (store: EventStore) => new Histories(store) },
  {
    provide: Submissions,
    inject: [EventStore, Histories, AGENTS],
    useFactory: (store: EventStore, histories: Histories, agents: AgentSource) =>
      new Submissions({ store, histories, agents }),
  },
  {
    provide: JobDriver,
    inject: [serviceTokens.identity, EventStore, Histories, Queues],
    useFactory: ({ processId }: ServiceIdentity, store: EventStore, histories: Histories, sender: Queues) =>
      new JobDriver({ processId, store, histories, sender, clock: { now: () => new Date() } }),
  },
  {
    provide: Reconciler,
    inject: [serviceTokens.config, EventStore, Histories, JobDriver, Queues, ProcessRegistry],
    useFactory: (
      config: OrchestratorConfig,
      store: EventStore,
      histories: Histories,
      driver: JobDriver,
      sender: Queues,
      leases: ProcessRegistry,
    ) =>
      new Reconciler({ store, histories, driver, sender, leases }, { idleForMs: config.PHASELINE_RECONCILE_IDLE_MS }),
  },
  {
    provide: JobViews,
    inject: [serviceTokens.pool, EventStore],
    useFactory: (pool: Pool, store: EventStore) => new JobViews(pool, store),
  },
  { provide: JobHistory, inject: [EventStore], useFactory: (store: EventStore) => new JobHistory(store) },
  { provide: JobWakes, inject: [ControlListener], useFactory: (listener: ControlListener) => wakesOf(listener) },
  { provide: EVENT_STREAM_TIMES, useValue: eventStreamTimes },
];

const http: Provider[] = [
  OpenApiHolder,
  { provide: APP_FILTER, useClass: ProblemFilter },
  { provide: APP_PIPE, useClass: ValidationPipe },
];

@Module({
  controllers: [
    JobsController,
    EventsController,
    StateController,
    FilesController,
    QueuesController,
    DeadLettersController,
    AgentsController,
    DocsController,
  ],
  providers: [...parts, ...http, ControlLoop, ReconcilerLoop, JobsProjection, JobsConsumer, JobGauges],
})
export class OrchestratorModule {}

function wakesOf(listener: ControlListener): JobWakes {
  const wakes = new JobWakes();
  listener.subscribe((jobId) => (jobId === undefined ? wakes.wakeAll() : wakes.wake(jobId)));
  return wakes;
}
