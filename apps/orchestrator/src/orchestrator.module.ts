import { Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ControlListener, DatabaseClock, ProcessRegistry } from '@phaseline/cluster';
import { HttpEmbedder } from '@phaseline/embeddings';
import { PreferenceStore, SecretStore, SessionStore } from '@phaseline/identity';
import { EventStore } from '@phaseline/event-store';
import { packSpecs } from '@phaseline/pack-specs';
import { JobRepository } from '@phaseline/repository';
import {
  ChildJobs,
  FollowOnBatches,
  GuardRegistry,
  GuardWatch,
  JobDriver,
  PostgresAdmission,
  PostgresChildJobTable,
  Reconciler,
  RetentionRuns,
  type AgentSource,
} from '@phaseline/orchestration';
import { LearningTraces, Precedents, Similarity, TracePromotions } from '@phaseline/learning';
import { Experiences, Inbox, JobViews, Plans, ReadModelQueries } from '@phaseline/projections';
import { Queues } from '@phaseline/queue';
import { serviceTokens, toEmbeddingSettings, toSandboxSettings, type ServiceIdentity } from '@phaseline/service';
import { Forks, RecordedPrompts, Timelines, TimeTravel } from '@phaseline/time-travel';
import { parseAmended, ToolRegistry } from '@phaseline/tools';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { AccessGuard } from './access/access-guard.js';
import { JobTenants } from './access/job-tenants.js';
import { AgentsController } from './agents/agents.controller.js';
import { AgentsWatch } from './agents/agents-watch.js';
import { INSTALLATION_GUARDS, loadInstallationGuards } from './agents/installation-guards.js';
import { AGENTS, loadAgents } from './agents/load-agents.js';
import { logAgentChanges } from './agents/log-agent-changes.js';
import { AnchorGauges } from './audit/anchor-gauges.js';
import { AlertFactsReader } from './alerts/alert-facts-reader.js';
import { AlertsController } from './alerts/alerts.controller.js';
import { AnchorLoop } from './audit/anchor-loop.js';
import { AuditController } from './audit/audit.controller.js';
import { ExportController } from './audit/export.controller.js';
import { JobExports } from './audit/job-exports.js';
import { LogVerifications } from './audit/log-verifications.js';
import { ControlLoop } from './control/control-loop.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { Delegation } from './delegation/delegation.js';
import { DocsController } from './docs/docs.controller.js';
import { OpenApiHolder } from './docs/open-api-holder.js';
import { doctorProviders } from './doctor/doctor-providers.js';
import { RepositoryController } from './repository/repository.controller.js';
import { EraseController } from './erase/erase.controller.js';
import { EVENT_STREAM_TIMES, eventStreamTimes } from './events/event-stream-times.js';
import { EventListsController } from './events/event-lists.controller.js';
import { EventsController } from './events/events.controller.js';
import { JobWakes } from './events/job-wakes.js';
import { EditFilesController } from './files/edit-files.controller.js';
import { FilesController } from './files/files.controller.js';
import { FollowOnsController } from './follow-on/follow-ons.controller.js';
import { FollowOns } from './follow-on/follow-ons.js';
import { ForkController } from './fork/fork.controller.js';
import { GuardKeeper } from './guards/guard-keeper.js';
import { GuardOverridesController } from './guards/guard-overrides.controller.js';
import { GuardsController } from './guards/guards.controller.js';
import { SharedGuards } from './guards/shared-guards.js';
import { HoldsController } from './holds/holds.controller.js';
import { InboxController } from './inbox/inbox.controller.js';
import { WaitingGauges } from './inbox/waiting-gauges.js';
import { EmbeddingsLoop } from './learning/embeddings-loop.js';
import { LearningController } from './learning/learning.controller.js';
import { PatternsController } from './learning/patterns.controller.js';
import { LearningReportController } from './learning/report.controller.js';
import { PromotionsController } from './learning/promotions.controller.js';
import { PlanReader } from './plans/plan-reader.js';
import { PlanReplies } from './plans/plan-replies.js';
import { PlanRules } from './plans/plan-rules.js';
import { PlanRunsController } from './plans/plan-runs.controller.js';
import { PlansController } from './plans/plans.controller.js';
import { ScheduleController } from './plans/schedule.controller.js';
import { BulkControl } from './jobs/bulk-control.js';
import { ControlController } from './jobs/control.controller.js';
import { JobSetsController } from './jobs/job-sets.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import { listToolRunners } from './jobs/list-tool-runners.js';
import { isSubmissionRefusal } from './jobs/is-submission-refusal.js';
import { Submissions } from './jobs/submissions.js';
import { LiveController } from './live/live.controller.js';
import { LiveGauges } from './live/live-gauges.js';
import { LiveHub } from './live/live-hub.js';
import { definitionFolders, definitionVariables, type OrchestratorConfig } from './orchestrator-config.js';
import { ProcessGauges } from './processes/process-gauges.js';
import { ProcessesController } from './processes/processes.controller.js';
import { ClaimsController } from './claims/claims.controller.js';
import { ExplainController } from './explain/explain.controller.js';
import { PromptsController } from './prompts/prompts.controller.js';
import { KeysController } from './principals/keys.controller.js';
import { PreferencesController } from './preferences/preferences.controller.js';
import { PrincipalsController } from './principals/principals.controller.js';
import { WhoAmIController } from './principals/who-am-i.controller.js';
import { ProblemFilter } from './problem/problem.filter.js';
import { ValidationPipe } from './problem/validation.pipe.js';
import { ExperiencesKeeper } from './projection/experiences-keeper.js';
import { LearningTracesKeeper } from './projection/learning-traces-keeper.js';
import { JobGauges } from './projection/job-gauges.js';
import { JudgeGauges } from './projection/judge-gauges.js';
import { ProjectionGauges } from './projection/projection-gauges.js';
import { ReadModelsController } from './projection/read-models.controller.js';
import { ReadModelsKeeper } from './projection/read-models-keeper.js';
import { DeadLettersController } from './queues/dead-letters.controller.js';
import { QueueCallers } from './queues/queue-callers.js';
import { JobsConsumer } from './queues/jobs-consumer.js';
import { QueueReader } from './queues/queue-reader.js';
import { QueuesController } from './queues/queues.controller.js';
import { ReconcilerLoop } from './reconciler/reconciler-loop.js';
import { CleaningLoop } from './retention/cleaning-loop.js';
import { RetentionLoop } from './retention/retention-loop.js';
import { RetentionController } from './retention/retention.controller.js';
import { JobHistory } from './state/job-history.js';
import { SnapshotKeeper } from './state/snapshot-keeper.js';
import { SpanKeeper } from './telemetry/span-keeper.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { BrowserSignIn } from './sign-in/browser-sign-in.js';
import { ExpiredSessionsKeeper } from './sign-in/expired-sessions-keeper.js';
import { OpenIdController } from './sign-in/open-id/open-id.controller.js';
import { OpenIdSignIn } from './sign-in/open-id/open-id-sign-in.js';
import { LoginLinksController, SignInController } from './sign-in/sign-in.controller.js';
import { StateController } from './state/state.controller.js';
import { admissionProviders } from './tenants/admission-providers.js';
import { TenantsController } from './tenants/tenants.controller.js';
import { TimelineController } from './timeline/timeline.controller.js';
import { TimersConsumer } from './timers/timers-consumer.js';
import { compiledWhatIfProgram, WHAT_IF_PROGRAM, WhatIfProgram } from './what-if/what-if-program.js';
import { WhatIfController } from './what-if/what-if.controller.js';

/** Objects from the libraries, created once per process. */
const parts: Provider[] = [
  BrowserSignIn,
  {
    provide: SessionStore,
    inject: [serviceTokens.pool, EventStore],
    useFactory: (pool: Pool, store: EventStore) => new SessionStore(pool, store),
  },
  OpenIdSignIn,
  { provide: FollowOnBatches, inject: [serviceTokens.pool], useFactory: (pool: Pool) => new FollowOnBatches(pool) },
  { provide: RetentionRuns, inject: [serviceTokens.pool], useFactory: (pool: Pool) => new RetentionRuns(pool) },
  {
    provide: AGENTS,
    inject: [serviceTokens.config, serviceTokens.logger, SecretStore],
    useFactory: (config: OrchestratorConfig, logger: Logger, secrets: SecretStore) =>
      loadAgents({
        secrets,
        news: logAgentChanges(logger),
        ...definitionFolders(config),
        allowedNetworks: config.PHASELINE_ALLOWED_PRIVATE_NETWORKS,
        sandbox: toSandboxSettings(config),
        variables: definitionVariables(config),
      }),
  },
  {
    provide: INSTALLATION_GUARDS,
    inject: [serviceTokens.config],
    useFactory: (config: OrchestratorConfig) => loadInstallationGuards(definitionFolders(config).guardsDir),
  },
  {
    provide: GuardRegistry,
    inject: [serviceTokens.pool, EventStore],
    useFactory: (pool: Pool, store: EventStore) => new GuardRegistry(pool, store),
  },
  {
    provide: GuardWatch,
    inject: [serviceTokens.pool, GuardRegistry],
    useFactory: (pool: Pool, registry: GuardRegistry) => new GuardWatch(pool, registry),
  },
  SharedGuards,
  WhatIfProgram,
  { provide: WHAT_IF_PROGRAM, useValue: compiledWhatIfProgram },
  {
    provide: TracePromotions,
    inject: [serviceTokens.pool, EventStore],
    useFactory: (pool: Pool, store: EventStore) => new TracePromotions(pool, store),
  },
  {
    provide: HttpEmbedder,
    inject: [serviceTokens.config],
    useFactory: (config: OrchestratorConfig) => {
      const settings = toEmbeddingSettings(config);
      return settings && new HttpEmbedder(settings);
    },
  },
  {
    provide: Similarity,
    inject: [serviceTokens.pool, serviceTokens.logger, { token: HttpEmbedder, optional: true }],
    useFactory: (pool: Pool, logger: Logger, embedder?: HttpEmbedder) =>
      embedder &&
      new Similarity(pool, embedder, (error) =>
        logger.warn(
          { error },
          'the server of embeddings did not answer; learning traces are searched by words alone for 30 seconds',
        ),
      ),
  },
  {
    provide: LearningTraces,
    inject: [serviceTokens.pool, { token: Similarity, optional: true }],
    useFactory: (pool: Pool, similarity?: Similarity) => new LearningTraces(pool, similarity),
  },
  {
    provide: Precedents,
    inject: [serviceTokens.pool, { token: Similarity, optional: true }],
    useFactory: (pool: Pool, similarity?: Similarity) => new Precedents(pool, similarity),
  },
  EmbeddingsLoop,
  {
    provide: JobRepository,
    inject: [EventStore],
    // No decision about a job reads the conversation of a phase, or its ended calls except those of verifiers.
    useFactory: (store: EventStore) => new JobRepository(store, { loadsOutlines: true }),
  },
  {
    provide: Submissions,
    inject: [serviceTokens.config, EventStore, JobRepository, AGENTS, serviceTokens.pool, ProcessRegistry, SecretStore],
    useFactory: (
      config: OrchestratorConfig,
      store: EventStore,
      repository: JobRepository,
      agents: AgentSource,
      pool: Pool,
      processes: ProcessRegistry,
      secrets: SecretStore,
    ) =>
      new Submissions(
        {
          ...{ store, repository, agents, secrets, clock: processes.clock },
          experiences: new Experiences(pool),
          listToolRunners: () => listToolRunners(processes),
        },
        config.PHASELINE_MAX_DOCUMENT_BYTES,
      ),
  },
  {
    provide: JobDriver,
    inject: [
      serviceTokens.identity,
      EventStore,
      JobRepository,
      Queues,
      ProcessRegistry,
      PostgresAdmission,
      serviceTokens.logger,
      SharedGuards,
      Precedents,
    ],
    useFactory: (
      { processId }: ServiceIdentity,
      store: EventStore,
      repository: JobRepository,
      sender: Queues,
      leases: ProcessRegistry,
      admission: PostgresAdmission,
      logger: Logger,
      guards: SharedGuards,
      precedents: Precedents,
    ) => {
      const tools = new ToolRegistry(packSpecs);
      return new JobDriver({
        processId,
        store,
        repository,
        sender,
        leases,
        admission,
        listSharedGuards: (tenant) => guards.list(tenant),
        searchPrecedents: (jobId, task) =>
          precedents.search(jobId, task).catch((error: unknown) => {
            logger.warn({ error, jobId }, 'searching precedents failed; the phase begins without');
            return [];
          }),
        clock: leases.clock,
        parseArguments: (phase, name, args) => parseAmended(tools, phase, name, args),
        onProblem: (jobId, error) =>
          logger.error({ error, jobId }, 'a job that got a slot could not be decided; the reconciler will retry'),
      });
    },
  },
  {
    provide: ChildJobs,
    inject: [Submissions, serviceTokens.pool, JobDriver, Queues, ProcessRegistry],
    useFactory: (submissions: Submissions, pool: Pool, driver: JobDriver, sender: Queues, leases: ProcessRegistry) =>
      new ChildJobs({
        ...{ ...submissions.parts, driver, sender, leases, isRefusal: isSubmissionRefusal },
        table: new PostgresChildJobTable(pool),
      }),
  },
  {
    provide: Reconciler,
    inject: [
      serviceTokens.config,
      EventStore,
      JobRepository,
      JobDriver,
      Queues,
      ProcessRegistry,
      PostgresAdmission,
      ChildJobs,
    ],
    useFactory: (
      config: OrchestratorConfig,
      store: EventStore,
      repository: JobRepository,
      driver: JobDriver,
      sender: Queues,
      leases: ProcessRegistry,
      admission: PostgresAdmission,
      children: ChildJobs,
    ) =>
      new Reconciler(
        { store, repository, driver, sender, leases, admission, children },
        { idleForMs: config.PHASELINE_RECONCILE_IDLE_MS },
      ),
  },
  {
    provide: JobViews,
    inject: [serviceTokens.pool, EventStore],
    useFactory: (pool: Pool, store: EventStore) => new JobViews(pool, store),
  },
  {
    provide: Inbox,
    inject: [serviceTokens.pool],
    useFactory: (pool: Pool) => new Inbox(pool),
  },
  {
    provide: PreferenceStore,
    inject: [serviceTokens.pool, EventStore],
    useFactory: (pool: Pool, store: EventStore) => new PreferenceStore(pool, store),
  },
  { provide: Plans, inject: [serviceTokens.pool], useFactory: (pool: Pool) => new Plans(pool) },
  {
    provide: PlanReader,
    inject: [JobHistory, EventStore, JobRepository, JobViews],
    useFactory: (history: JobHistory, store: EventStore, repository: JobRepository, views: JobViews) =>
      new PlanReader({ history, store, repository, views }),
  },
  {
    provide: PlanRules,
    inject: [JobRepository, PlanReader, JobTenants],
    useFactory: (repository: JobRepository, reader: PlanReader, tenants: JobTenants) =>
      new PlanRules(repository, reader, tenants),
  },
  {
    provide: PlanReplies,
    inject: [PlanReader, JobDriver, EventStore],
    useFactory: (reader: PlanReader, driver: JobDriver, store: EventStore) => new PlanReplies(reader, driver, store),
  },
  {
    provide: ReadModelQueries,
    inject: [serviceTokens.pool],
    useFactory: (pool: Pool) => new ReadModelQueries(pool),
  },
  {
    provide: TimeTravel,
    inject: [serviceTokens.pool, EventStore],
    useFactory: (pool: Pool, store: EventStore) => new TimeTravel(store, pool, { cold: store.cold }),
  },
  {
    provide: Timelines,
    inject: [serviceTokens.pool, TimeTravel, EventStore],
    useFactory: (pool: Pool, travel: TimeTravel, store: EventStore) => new Timelines(pool, travel.folds, store.cold),
  },
  {
    provide: RecordedPrompts,
    inject: [EventStore],
    useFactory: (store: EventStore) => new RecordedPrompts(store, new ToolRegistry(packSpecs)),
  },
  {
    provide: JobHistory,
    inject: [EventStore, TimeTravel],
    useFactory: (store: EventStore, travel: TimeTravel) => new JobHistory(store, travel),
  },
  {
    provide: Forks,
    inject: [EventStore, JobRepository, TimeTravel, Queues, DatabaseClock],
    useFactory: (
      store: EventStore,
      repository: JobRepository,
      travel: TimeTravel,
      sender: Queues,
      clock: DatabaseClock,
    ) => {
      const tools = new ToolRegistry(packSpecs);
      const parts = { store, repository, travel, sender, clock };
      return new Forks({ ...parts, findTool: (name, settings) => tools.forSettings(settings).find(name) });
    },
  },
  { provide: JobWakes, inject: [ControlListener], useFactory: (listener: ControlListener) => wakesOf(listener) },
  { provide: EVENT_STREAM_TIMES, useValue: eventStreamTimes },
];

const http: Provider[] = [
  OpenApiHolder,
  { provide: APP_FILTER, useClass: ProblemFilter },
  JobTenants,
  BulkControl,
  { provide: APP_GUARD, useClass: AccessGuard },
  { provide: APP_PIPE, useClass: ValidationPipe },
];

@Module({
  controllers: [
    JobsController,
    ControlController,
    JobSetsController,
    InboxController,
    PlansController,
    ScheduleController,
    PreferencesController,
    PlanRunsController,
    LearningController,
    PromotionsController,
    PatternsController,
    LearningReportController,
    EraseController,
    HoldsController,
    RetentionController,
    RepositoryController,
    EventsController,
    EventListsController,
    LiveController,
    StateController,
    TimelineController,
    PromptsController,
    ClaimsController,
    AuditController,
    ExportController,
    ExplainController,
    FollowOnsController,
    ProcessesController,
    ForkController,
    FilesController,
    EditFilesController,
    ReadModelsController,
    QueuesController,
    AlertsController,
    TenantsController,
    SecretsController,
    GuardsController,
    GuardOverridesController,
    PrincipalsController,
    KeysController,
    WhoAmIController,
    LoginLinksController,
    SignInController,
    OpenIdController,
    DeadLettersController,
    WhatIfController,
    AgentsController,
    DocsController,
    DashboardController,
  ],
  providers: [
    ...parts,
    ...admissionProviders,
    ...doctorProviders,
    ...http,
    FollowOns,
    Delegation,
    ControlLoop,
    ReconcilerLoop,
    GuardKeeper,
    SnapshotKeeper,
    SpanKeeper,
    ReadModelsKeeper,
    ExperiencesKeeper,
    LearningTracesKeeper,
    ExpiredSessionsKeeper,
    RetentionLoop,
    CleaningLoop,
    ProjectionGauges,
    QueueCallers,
    QueueReader,
    AlertFactsReader,
    LiveHub,
    JobsConsumer,
    TimersConsumer,
    AnchorLoop,
    LogVerifications,
    JobExports,
    AnchorGauges,
    WaitingGauges,
    LiveGauges,
    ProcessGauges,
    JobGauges,
    JudgeGauges,
    AgentsWatch,
  ],
})
export class OrchestratorModule {}

function wakesOf(listener: ControlListener): JobWakes {
  const wakes = new JobWakes();
  listener.subscribe((jobId) => (jobId === undefined ? wakes.wakeAll() : wakes.wake(jobId)));
  return wakes;
}
