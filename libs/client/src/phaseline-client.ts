import type { z } from 'zod';
import { followEvents, type FollowOptions } from './event/follow-events.js';
import {
  eventPageSchema,
  type EventPage,
  type EventRecord,
  type EventsQuery,
  type StreamEnd,
} from './event/event-record.js';
import {
  eventIndexSchema,
  eventRowPageSchema,
  type EventIndex,
  type EventIndexQuery,
  type EventRowPage,
} from './event/event-rows.js';
import { fileListSchema, type WorkspaceFile, type WriteFileQuery } from './file/workspace-file.js';
import { inboxPageSchema, type InboxItem, type InboxQuery } from './inbox/inbox.js';
import {
  planPageSchema,
  planReplyResponseSchema,
  planSchema,
  planTraceSchema,
  planProgressSchema,
  runPlanResponseSchema,
  type PlanProgress,
  type RunPlanRequest,
  type RunPlanResponse,
  submitPlanResponseSchema,
  type Plan,
  type PlanItem,
  type PlanPage,
  type PlanReplyRequest,
  type PlanReplyResponse,
  type PlansQuery,
  type PlanTrace,
  type ScheduleFormat,
  type SubmitPlanRequest,
  type SubmitPlanResponse,
} from './plan/plan.js';
import {
  createFileEdit,
  createGet,
  createWrite,
  createWriteWithKey,
  type Cancellable,
  type FileEditOptions,
  type Keyed,
  type Query,
} from './http/requests.js';
import { routes } from './http/routes.js';
import { Transport, type FetchLike } from './http/transport.js';
import {
  controlResponseSchema,
  type ControlAction,
  type ControlRequests,
  type ControlResponse,
} from './control/control-job.js';
import { bulkResponseSchema, type BulkRequest, type BulkResponse } from './control/bulk-control.js';
import { cancelResponseSchema, type CancelRequest, type CancelResponse } from './job/cancel-job.js';
import { eraseResponseSchema, type EraseRequest, type EraseResponse } from './erase/erase-job.js';
import { jobFacetsSchema, type JobFacets } from './job/job-facets.js';
import { jobStateSchema, type JobStateResponse } from './job/job-state.js';
import { jobSummarySchema, type JobSummary } from './job/job-summary.js';
import { jobPageSchema, type JobPage, type ListJobsQuery } from './job/list-jobs.js';
import { jobWorkflowSchema, type JobWorkflow } from './job/job-workflow.js';
import { timelineSchema, type Timeline, type TimelineQuery } from './job/timeline.js';
import { WhatIfApi } from './what-if/what-if-api.js';
import { waitForJob, type WaitOptions } from './job/wait-for-job.js';
import { costReportSchema, type CostReport, type CostsQuery } from './projection/cost-report.js';
import { phaseListSchema, type PhaseRecord } from './projection/phase-record.js';
import { queueHistorySchema, type QueueMinute } from './projection/queue-history.js';
import { toolCallPageSchema, type ToolCallRecord, type ToolCallsQuery } from './projection/tool-call-record.js';
import { processListSchema, type ProcessRecord } from './process/process-record.js';
import { claimPageSchema, type Claim, type ClaimsQuery } from './claims/claim.js';
import { alertListSchema, type AlertList } from './alert/alert.js';
import { agentListSchema, type AgentList } from './agent/agent-list.js';
import {
  agentDetailSchema,
  agentValidationSchema,
  type AgentDetail,
  type AgentValidation,
  type ValidateAgentRequest,
} from './agent/agent-detail.js';
import { followOnListSchema, type FollowOnList } from './follow-on/follow-on.js';
import { explanationSchema, type ExplanationResponse } from './explain/explanation.js';
import { followLive, type LiveOptions } from './live/follow-live.js';
import type { LiveEvent } from './live/live-event.js';
import { modelCallListSchema, promptSchema, type ModelCall, type PromptResponse } from './prompt/prompt.js';
import { queueDepthsSchema, type QueueDepths } from './queue/queue-depths.js';
import { forkResponseSchema, type ForkInput, type ForkResponse } from './time/fork-job.js';
import { jobComparisonSchema, type JobComparisonResponse } from './time/job-comparison.js';
import { jobDiffSchema, type JobDiffResponse } from './time/job-diff.js';
import { AuditApi } from './audit/audit-api.js';
import { DeadLetterApi } from './queue/dead-letter-api.js';
import { HoldApi } from './hold/hold-api.js';
import { KeyApi } from './key/key-api.js';
import { PrincipalApi } from './principal/principal-api.js';
import { whoAmISchema, type WhoAmI } from './principal/who-am-i.js';
import { RepositoryApi } from './repository/repository-api.js';
import {
  learningTracePageSchema,
  learningTraceSchema,
  type LearningTraceRecord,
  type LearningTracesQuery,
} from './learning/learning-trace.js';
import { LearningApi } from './learning/learning-api.js';
import { calibrationReportSchema, type CalibrationQuery, type CalibrationReport } from './learning/calibration.js';
import {
  preferencesSchema,
  type ChangePreferencesRequest,
  type Preferences,
  type PreferencesQuery,
} from './preferences/preferences.js';
import { RetentionApi } from './retention/retention-api.js';
import { GuardApi } from './guard/guard-api.js';
import { SecretApi } from './secret/secret-api.js';
import { loginLinkSchema } from './sign-in/login-link.js';
import { submitJob, type SubmitFile } from './submit/submit-job.js';
import { TenantApi } from './tenant/tenant-api.js';
import type { SubmitRequest, SubmitResponse, JobId } from '@phaseline/contracts';

export interface PhaselineClientOptions {
  /** URL of the server, such as `http://127.0.0.1:7070`. May contain a path before `/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Id of the principal for whom the owner of the key acts. The owner needs the role `delegate`. */
  readonly onBehalfOf?: string | undefined;
  /** Replaces the global `fetch`, for tests, proxies and other runtimes. */
  readonly fetch?: FetchLike | undefined;
  /** Maximum number of retries after a broken connection, a timeout, 429, 502, 503 or 504. Default 3. */
  readonly retries?: number;
  /** Timeout of one attempt, including the response; for an event stream, until the response begins. Default 30,000. */
  readonly timeoutMs?: number;
  /** Milliseconds to wait before retry number `retry`, starting at 0. By default doubles from 200 to 5,000. */
  readonly backoff?: (retry: number) => number;
}

/**
 * Client of a Phaseline server. All methods may throw a PhaselineClientError with a stable `code`, or the reason of their signal.
 *
 * ```ts
 * const phaseline = new PhaselineClient({ baseUrl: 'http://127.0.0.1:7070' });
 * const { jobId } = await phaseline.submit({ agent: 'creator', documents: [{ name: 'spec.md', content }] });
 * const job = await phaseline.wait(jobId);
 * ```
 */
export class PhaselineClient {
  readonly repository: RepositoryApi;
  readonly secrets: SecretApi;
  readonly guards: GuardApi;
  readonly learning: LearningApi;
  readonly whatIf: WhatIfApi;
  readonly holds: HoldApi;
  readonly retention: RetentionApi;
  readonly tenants: TenantApi;
  readonly deadLetters: DeadLetterApi;
  readonly audit: AuditApi;
  readonly principals: PrincipalApi;
  readonly keys: KeyApi;
  private readonly transport: Transport;

  /** Throws TypeError if `baseUrl` is not valid. */
  constructor(private readonly options: PhaselineClientOptions) {
    this.transport = new Transport({
      ...options,
      retries: options.retries ?? 3,
      timeoutMs: options.timeoutMs ?? 30_000,
    });
    this.repository = new RepositoryApi(this.transport);
    this.secrets = new SecretApi(this.transport);
    this.guards = new GuardApi(this.transport);
    this.learning = new LearningApi(this.transport);
    this.whatIf = new WhatIfApi(this.transport);
    this.holds = new HoldApi(this.transport);
    this.retention = new RetentionApi(this.transport);
    this.tenants = new TenantApi(this.transport);
    this.audit = new AuditApi(this.transport);
    this.deadLetters = new DeadLetterApi(this.transport);
    this.principals = new PrincipalApi(this.transport);
    this.keys = new KeyApi(this.transport);
  }

  /**
   * Submits a job. With the same `idempotencyKey`, a second call returns the first job with `created: false`. `files` are sent as
   * they are, in addition to the documents of the request. Throws UnknownAgent, InvalidRequest, IdempotencyConflict.
   */
  submit(
    request: SubmitRequest,
    options: Cancellable & { readonly files?: readonly SubmitFile[] } = {},
  ): Promise<SubmitResponse> {
    return submitJob(this.transport, request, options);
  }

  /** Returns a job. Throws JobNotFound. */
  get(jobId: JobId, options: Cancellable = {}): Promise<JobSummary> {
    return this.read(routes.job(jobId), jobSummarySchema, options);
  }

  /** Returns one page of jobs, newest first unless `sort` says otherwise. It may be short although there is a next page. */
  listPage(query: Partial<ListJobsQuery> = {}, options: Cancellable = {}): Promise<JobPage> {
    return this.read(routes.jobs(), jobPageSchema, options, query);
  }

  /** Yields all jobs that match the filter, newest first unless `sort` says otherwise. Pages are requested as needed. */
  async *list(
    query: Partial<ListJobsQuery> = {},
    options: Cancellable = {},
  ): AsyncGenerator<JobSummary, void, undefined> {
    for (let { cursor } = query; ;) {
      const page = await this.listPage({ ...query, cursor }, options);
      yield* page.items;
      if (page.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  /** Counts the jobs that the caller may see, by status, agent, tenant and what they wait for. */
  countJobs(options: Cancellable = {}): Promise<JobFacets> {
    return this.read(routes.jobFacets(), jobFacetsSchema, options);
  }

  /**
   * Pauses, resumes, cancels, retries or steers at most 500 jobs, by ids or by a filter. Refusals of single jobs are outcomes. Throws
   * RequestRefused if more jobs match than `expectedCount`.
   */
  controlMany(request: BulkRequest, options: Keyed = {}): Promise<BulkResponse> {
    return this.transport.json(createWriteWithKey(routes.jobsBulk(), request, options), bulkResponseSchema);
  }

  /** Waits until a job has ended and returns it. It may have failed: check its `status`. Throws WaitTimedOut, JobNotFound. */
  wait(jobId: JobId, options: WaitOptions = {}): Promise<JobSummary> {
    return waitForJob(this.transport, jobId, options);
  }

  /**
   * Yields the events of a job after `after` as they happen, each once and in order. Reconnects automatically and returns when the job
   * has ended. Leave the loop or abort the signal to stop. Throws JobNotFound, or ServerUnreachable if reconnecting fails.
   */
  events(
    jobId: JobId,
    options: Omit<FollowOptions, 'backoff'> = {},
  ): AsyncGenerator<EventRecord, StreamEnd, undefined> {
    const { backoff } = this.options;
    return followEvents(this.transport, jobId, { ...options, ...(backoff ? { backoff } : {}) });
  }

  /** Returns one page of the events recorded so far. */
  eventPage(jobId: JobId, query: Partial<EventsQuery> = {}, options: Cancellable = {}): Promise<EventPage> {
    return this.read(routes.jobEvents(jobId), eventPageSchema, options, query);
  }

  /**
   * Yields what changes, in all jobs that the caller may read, and the answers that models are writing in the watched jobs. All events are
   * hints: read what is shown again after `jobs`, `inbox` and `resynchronise`. Reconnects by itself until the signal is aborted.
   */
  live(options: LiveOptions = {}): AsyncGenerator<LiveEvent, never, undefined> {
    return followLive(this.transport, options);
  }

  /** Returns one page of rows for a list of events: what each is and its summary, without its data. */
  eventRows(jobId: JobId, query: Partial<EventsQuery> = {}, options: Cancellable = {}): Promise<EventRowPage> {
    return this.read(routes.jobEventRows(jobId), eventRowPageSchema, options, query);
  }

  /** Returns the number of events of a job, and where each page of `every` events begins. */
  eventIndex(jobId: JobId, query: Partial<EventIndexQuery> = {}, options: Cancellable = {}): Promise<EventIndex> {
    return this.read(routes.jobEventIndex(jobId), eventIndexSchema, options, query);
  }

  /** Returns what the job did in a window of time, as lanes for drawing. Default: the whole job in 800 columns. */
  timeline(jobId: JobId, query: Partial<TimelineQuery> = {}, options: Cancellable = {}): Promise<Timeline> {
    return this.read(routes.jobTimeline(jobId), timelineSchema, options, query);
  }

  /** Returns the workflow of a job as a graph, as of position `at`. Default: the one that it follows now. */
  workflow(jobId: JobId, options: Cancellable & { readonly at?: number | undefined } = {}): Promise<JobWorkflow> {
    return this.read(routes.jobWorkflow(jobId), jobWorkflowSchema, options, { at: options.at });
  }

  /** Returns the state of a job as of position `at`, inclusive. Default: the current state. */
  state(jobId: JobId, options: Cancellable & { readonly at?: number | undefined } = {}): Promise<JobStateResponse> {
    return this.read(routes.jobState(jobId), jobStateSchema, options, { at: options.at });
  }

  /** Returns the changes of a job between two positions, or from a position until now. `patches` adds unified diffs of small text files. */
  diff(
    jobId: JobId,
    options: Cancellable & { readonly from: number; readonly to?: number; readonly patches?: boolean },
  ): Promise<JobDiffResponse> {
    const query = { from: options.from, to: options.to, patches: options.patches === true ? 'true' : undefined };
    return this.read(routes.jobDiff(jobId), jobDiffSchema, options, query);
  }

  /**
   * Forks a job: creates a job that continues from a position of this one, with other models, another agent, other limits, or an edited
   * model response. The parent is not changed. Retried only if the request has an idempotency key.
   */
  fork(jobId: JobId, request: ForkInput, options: Cancellable = {}): Promise<ForkResponse> {
    const isRepeatable = request.idempotencyKey !== undefined;
    return this.transport.json(
      { ...createWrite('POST', routes.jobFork(jobId), request, options), isRepeatable },
      forkResponseSchema,
    );
  }

  /** Compares two jobs, usually a job and its fork, and returns their first difference. */
  compare(jobId: JobId, other: JobId, options: Cancellable = {}): Promise<JobComparisonResponse> {
    return this.read(routes.jobComparison(jobId, other), jobComparisonSchema, options);
  }

  /** Lists the files of the workspace as of position `at`, ordered by path. */
  async files(
    jobId: JobId,
    options: Cancellable & { readonly at?: number | undefined } = {},
  ): Promise<readonly WorkspaceFile[]> {
    const list = await this.read(routes.jobFiles(jobId), fileListSchema, options, { at: options.at });
    return list.items;
  }

  /** Returns the bytes of a file. Throws FileNotFound. */
  readFile(
    jobId: JobId,
    path: string,
    options: Cancellable & { readonly at?: number | undefined } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const request = createGet(routes.jobFile(jobId, path), { at: options.at }, options);
    return this.transport.send(request, async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  /**
   * Streams the bytes of a file that is too large for memory. A broken connection is not resumed: compare the size and the hash (see
   * `WorkspaceFile`) with the list of files. Throws FileNotFound.
   */
  streamFile(
    jobId: JobId,
    path: string,
    options: Cancellable & { readonly at?: number | undefined } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const request = createGet(routes.jobFile(jobId, path), { at: options.at }, options);
    return this.transport.send(request, async ({ body }) => body ?? new Blob([]).stream());
  }

  /** Returns a file as text. Bytes that are not UTF-8 become U+FFFD. Throws FileNotFound. */
  async readText(
    jobId: JobId,
    path: string,
    options: Cancellable & { readonly at?: number | undefined } = {},
  ): Promise<string> {
    return new TextDecoder().decode(await this.readFile(jobId, path, options));
  }

  /**
   * Writes a file of a job that has not ended. The agent sees it in its next step and is told who changed it. Throws FileChanged when the
   * file is not what `ifMatch` or `isNew` says, and RequestRefused.
   */
  writeFile(
    jobId: JobId,
    path: string,
    content: Uint8Array<ArrayBuffer>,
    options: FileEditOptions & { readonly isNew?: boolean; readonly mode?: WriteFileQuery['mode'] } = {},
  ): Promise<ControlResponse> {
    const { mode, isNew } = options;
    const request = createFileEdit('PUT', routes.jobFile(jobId, path), options, { mode });
    const headers = { ...request.headers, ...(isNew === true ? { 'if-none-match': '*' } : {}) };
    return this.transport.json({ ...request, headers, body: content }, controlResponseSchema);
  }

  /** Deletes a file of a job that has not ended. Throws FileNotFound, FileChanged and RequestRefused. */
  deleteFile(jobId: JobId, path: string, options: FileEditOptions = {}): Promise<ControlResponse> {
    return this.transport.json(createFileEdit('DELETE', routes.jobFile(jobId, path), options), controlResponseSchema);
  }

  /** Requests the cancellation of a job. Running tools and model calls are stopped; wait for the status `cancelled`. */
  cancel(jobId: JobId, request: CancelRequest = {}, options: Keyed = {}): Promise<CancelResponse> {
    return this.transport.json(createWriteWithKey(routes.jobCancel(jobId), request, options), cancelResponseSchema);
  }

  /**
   * Erases the content of an encrypted job permanently. The event log still shows what the job did. Erasing again changes nothing.
   * Throws RequestRefused (`request_refused`) if the job has not ended or is not encrypted.
   */
  erase(jobId: JobId, request: EraseRequest = {}, options: Cancellable = {}): Promise<EraseResponse> {
    return this.transport.json(createWrite('POST', routes.jobErase(jobId), request, options), eraseResponseSchema);
  }

  /**
   * Pauses, resumes, retries or steers a job, approves or refuses a tool call, or upgrades the job to the newest definition of its
   * agent. Retries use the same idempotency key, so the action is executed once; the server drops it after the client's timeout.
   * Throws RequestRefused (`request_refused`) if the state of the job does not allow the action, IdempotencyConflict.
   */
  control<Action extends ControlAction>(
    jobId: JobId,
    action: Action,
    request: ControlRequests[Action],
    options: Keyed = {},
  ): Promise<ControlResponse> {
    return this.transport.json(
      createWriteWithKey(routes.jobControl(jobId, action), request, options),
      controlResponseSchema,
    );
  }

  /** Yields what waits for a person, oldest first: approvals and questions. */
  async *inbox(query: Partial<InboxQuery> = {}, options: Cancellable = {}): AsyncGenerator<InboxItem, void, undefined> {
    for (let { after } = query; ;) {
      const page = await this.read(routes.inbox(), inboxPageSchema, options, { ...query, after });
      yield* page.items;
      if (page.nextAfter === undefined) return;
      after = page.nextAfter;
    }
  }

  /** Submits a job that makes a plan for a goal. Repeat it with the same `idempotencyKey` to get the same plan. Throws InvalidRequest. */
  submitPlan(request: SubmitPlanRequest, options: Cancellable = {}): Promise<SubmitPlanResponse> {
    return this.transport.json(createWrite('POST', routes.plans(), request, options), submitPlanResponseSchema);
  }

  /** Returns one page of plans, newest first. */
  planPage(query: Partial<PlansQuery> = {}, options: Cancellable = {}): Promise<PlanPage> {
    return this.read(routes.plans(), planPageSchema, options, query);
  }

  /** Yields all plans that match, newest first. Pages are requested as needed. */
  async *plans(query: Partial<PlansQuery> = {}, options: Cancellable = {}): AsyncGenerator<PlanItem, void, undefined> {
    for (let { before } = query; ;) {
      const page = await this.planPage({ ...query, before }, options);
      yield* page.items;
      if (page.nextBefore === undefined) return;
      before = page.nextBefore;
    }
  }

  /** Returns a plan as it is now. Throws JobNotFound, or PhaselineClientError `plan_not_found` for a job that is no plan. */
  plan(planId: JobId, options: Cancellable = {}): Promise<Plan> {
    return this.read(routes.plan(planId), planSchema, options);
  }

  /**
   * Returns the schedule of a plan as a calendar file, a table or a Gantt picture. The picture may contain texts of a model: show it as an image, never
   * as part of a page. Throws PhaselineClientError `plan_has_no_schedule`.
   */
  planSchedule(planId: JobId, format: ScheduleFormat, options: Cancellable = {}): Promise<string> {
    const request = createGet(routes.planSchedule(planId, format), {}, options);
    return this.transport.send(request, (response) => response.text());
  }

  /** Returns every step of a plan, with its confidence and its cost. */
  planTrace(planId: JobId, options: Cancellable = {}): Promise<PlanTrace> {
    return this.read(routes.planTrace(planId), planTraceSchema, options);
  }

  /**
   * Answers the question of a plan, or decides its approval: `approve`, or what is to be changed. Throws PhaselineClientError
   * `approval_outdated` if something else waits than what `callId` and `contentHash` name, and `not_waiting`.
   */
  replyToPlan(planId: JobId, request: PlanReplyRequest, options: Keyed = {}): Promise<PlanReplyResponse> {
    return this.transport.json(createWriteWithKey(routes.planReply(planId), request, options), planReplyResponseSchema);
  }

  /** Yields the learning traces that match, newest first, or with `text` the best matches. Pages are requested as needed. */
  async *learningTraces(
    query: Partial<LearningTracesQuery> = {},
    options: Cancellable = {},
  ): AsyncGenerator<LearningTraceRecord, void, undefined> {
    for (let { before } = query; ;) {
      const page = await this.read(routes.learningTraces(), learningTracePageSchema, options, { ...query, before });
      yield* page.items;
      if (page.nextBefore === undefined) return;
      before = page.nextBefore;
    }
  }

  /** Returns a learning trace. Throws PhaselineClientError `trace_not_found`. */
  learningTrace(id: string, options: Cancellable = {}): Promise<LearningTraceRecord> {
    return this.read(routes.learningTrace(id), learningTraceSchema, options);
  }

  /** Returns the confidence of drafts of plans against what became of them, by agent and model. */
  calibration(query: CalibrationQuery = {}, options: Cancellable = {}): Promise<CalibrationReport> {
    return this.read(routes.calibration(), calibrationReportSchema, options, query);
  }

  /** Returns the lasting preferences of the caller for plans in a tenant. */
  preferences(query: PreferencesQuery = {}, options: Cancellable = {}): Promise<Preferences> {
    return this.read(routes.preferences(), preferencesSchema, options, query);
  }

  /**
   * Changes lasting preferences of the caller; `null` clears one. Throws InvalidRequest, and PhaselineClientError `preferences_changed` if they do
   * not have the version `ifVersion`.
   */
  changePreferences(
    changes: ChangePreferencesRequest,
    query: PreferencesQuery = {},
    { ifVersion, ...options }: Cancellable & { readonly ifVersion?: number } = {},
  ): Promise<Preferences> {
    const headers = ifVersion === undefined ? {} : { 'if-match': `"${ifVersion}"` };
    const request = createWrite('PUT', routes.preferences(), changes, options);
    return this.transport.json({ ...request, query, headers }, preferencesSchema);
  }

  /**
   * Submits a job that carries out an approved plan. Repeat it with the same `idempotencyKey` to get the same run. Throws PhaselineClientError
   * `plan_not_approved`, and `approval_outdated` if the plan has another schedule than the one with `contentHash`.
   */
  runPlan(planId: JobId, request: RunPlanRequest = {}, options: Cancellable = {}): Promise<RunPlanResponse> {
    return this.transport.json(createWrite('POST', routes.planRuns(planId), request, options), runPlanResponseSchema);
  }

  /** Returns how far a plan is carried out. Its questions are answered with `replyToPlan`. */
  planRun(runId: JobId, options: Cancellable = {}): Promise<PlanProgress> {
    return this.read(routes.planRun(runId), planProgressSchema, options);
  }

  /** Lists the model calls of a phase in order. Throws JobNotFound, or PhaselineClientError `model_call_not_found` if it made none. */
  async modelCalls(jobId: JobId, phase: number, options: Cancellable = {}): Promise<readonly ModelCall[]> {
    return (await this.read(routes.jobModelCalls(jobId, phase), modelCallListSchema, options)).items;
  }

  /** Returns the request of a model call, rebuilt from the log; of the last attempt of the step if `attempt` is omitted. */
  prompt(
    jobId: JobId,
    phase: number,
    step: number,
    options: Cancellable & { readonly attempt?: number | undefined } = {},
  ): Promise<PromptResponse> {
    return this.read(routes.jobPrompt(jobId, phase, step), promptSchema, options, { attempt: options.attempt });
  }

  /**
   * Returns who wrote each line of a file, or one line, from which prompt, and what it cites. Throws FileNotFound, InvalidRequest if there
   * is no such line, or PhaselineClientError `file_not_explainable` if the file is not text or too large.
   */
  explain(
    jobId: JobId,
    path: string,
    options: Cancellable & { readonly line?: number | undefined; readonly at?: number | undefined } = {},
  ): Promise<ExplanationResponse> {
    const { line, at } = options;
    return this.read(routes.jobExplanation(jobId), explanationSchema, options, { path, line, at });
  }

  /** Yields the claims of a job in the order in which they were decided, or raised if they are open. */
  async *claims(
    jobId: JobId,
    query: Partial<ClaimsQuery> = {},
    options: Cancellable = {},
  ): AsyncGenerator<Claim, void, undefined> {
    for (let { after } = query; ;) {
      const page = await this.read(routes.jobClaims(jobId), claimPageSchema, options, { ...query, after });
      yield* page.items;
      if (page.nextAfter === undefined) return;
      after = page.nextAfter;
    }
  }

  /** Lists the agents that jobs can be submitted to. */
  agents(options: Cancellable = {}): Promise<AgentList> {
    return this.read(routes.agents(), agentListSchema, options);
  }

  /** Returns an agent as new jobs get it. Throws UnknownAgent, also if it has no valid version. */
  agent(name: string, options: Cancellable = {}): Promise<AgentDetail> {
    return this.read(routes.agent(name), agentDetailSchema, options);
  }

  /** Checks the files of an agent against the tools, workflows, models and agents of the server. Stores nothing. */
  validateAgent(request: ValidateAgentRequest, options: Cancellable = {}): Promise<AgentValidation> {
    return this.transport.json(createWrite('POST', routes.agentValidation(), request, options), agentValidationSchema);
  }

  /**
   * Lists the jobs of an agent that were started for requirements that a job wrote to the cache. Throws JobNotFound, or InvalidRequest if the
   * agent does not start by itself.
   */
  followOns(jobId: JobId, agent: string, options: Cancellable = {}): Promise<FollowOnList> {
    return this.read(routes.jobFollowOns(jobId), followOnListSchema, options, { agent });
  }

  /** Returns the caller as the server recognises it, and its rights. */
  whoAmI(options: Cancellable = {}): Promise<WhoAmI> {
    return this.read(routes.whoAmI(), whoAmISchema, options);
  }

  /** Creates a link with which the caller signs in with a browser, once. */
  async createLoginLink(
    options: Cancellable = {},
  ): Promise<{ readonly url: string; readonly principal: string; readonly expiresAt: string }> {
    const request = { ...createWrite('POST', routes.loginLinks(), undefined, options), isRepeatable: false };
    const { token, ...link } = await this.transport.json(request, loginLinkSchema);
    return { ...link, url: `${this.options.baseUrl.replace(/\/$/, '')}/login#${token}` };
  }

  /** Lists the phases of a job in order. */
  async phases(jobId: JobId, options: Cancellable = {}): Promise<readonly PhaseRecord[]> {
    return (await this.read(routes.phases(), phaseListSchema, options, { jobId })).items;
  }

  /** Yields the tool calls of a job in the order in which they were requested. */
  async *toolCalls(
    query: Partial<ToolCallsQuery> & Pick<ToolCallsQuery, 'jobId'>,
    options: Cancellable = {},
  ): AsyncGenerator<ToolCallRecord, void, undefined> {
    for (let { after } = query; ;) {
      const page = await this.read(routes.toolCalls(), toolCallPageSchema, options, { ...query, after });
      yield* page.items;
      if (page.nextAfter === undefined) return;
      after = page.nextAfter;
    }
  }

  /** Returns the model usage and cost, grouped by agent, model, day, tenant or job. */
  costs(query: Partial<CostsQuery> = {}, options: Cancellable = {}): Promise<CostReport> {
    return this.read(routes.costs(), costReportSchema, options, query);
  }

  /** Returns the number of due messages per queue and minute, computed from the event log. */
  async queueHistory(minutes?: number, options: Cancellable = {}): Promise<readonly QueueMinute[]> {
    return (await this.read(routes.queueHistory(), queueHistorySchema, options, { minutes })).items;
  }

  /** Lists the processes of the system. Work of other tenants is counted, not named. */
  async processes(options: Cancellable = {}): Promise<readonly ProcessRecord[]> {
    return (await this.read(routes.processes(), processListSchema, options)).items;
  }

  /** Lists what is wrong now, as far as the caller may see it: critical alerts first, then the oldest. */
  alerts(options: Cancellable = {}): Promise<AlertList> {
    return this.read(routes.alerts(), alertListSchema, options);
  }

  /** Returns the message counts of each queue, with rates and the time to drain. */
  queues(options: Cancellable = {}): Promise<QueueDepths> {
    return this.read(routes.queues(), queueDepthsSchema, options);
  }

  private read<Schema extends z.ZodType>(path: string, schema: Schema, options: Cancellable, query: Query = {}) {
    return this.transport.json(createGet(path, query, options), schema);
  }
}
