import { followEvents, type FollowOptions } from './event/follow-events.js';
import {
  eventPageSchema,
  type EventPage,
  type EventRecord,
  type EventsQuery,
  type StreamEnd,
} from './event/event-record.js';
import { fileListSchema, type WorkspaceFile } from './file/workspace-file.js';
import { randomKey } from './http/random-key.js';
import { IDEMPOTENCY_KEY_HEADER, routes } from './http/routes.js';
import { Transport, type ApiRequest, type FetchLike } from './http/transport.js';
import {
  controlResponseSchema,
  type ControlAction,
  type ControlRequests,
  type ControlResponse,
} from './control/control-job.js';
import { cancelResponseSchema, type CancelRequest, type CancelResponse } from './job/cancel-job.js';
import { eraseResponseSchema, type EraseRequest, type EraseResponse } from './erase/erase-job.js';
import { jobStateSchema, type JobState } from './job/job-state.js';
import { jobSummarySchema, type JobSummary } from './job/job-summary.js';
import { jobPageSchema, type JobPage, type ListJobsQuery } from './job/list-jobs.js';
import { waitForJob, type WaitOptions } from './job/wait-for-job.js';
import { costReportSchema, type CostReport, type CostsQuery } from './projection/cost-report.js';
import { phaseListSchema, type PhaseRecord } from './projection/phase-record.js';
import { queueHistorySchema, type QueueMinute } from './projection/queue-history.js';
import { toolCallPageSchema, type ToolCallRecord, type ToolCallsQuery } from './projection/tool-call-record.js';
import {
  deadLetterDiscardSchema,
  deadLetterPageSchema,
  deadLetterRetrySchema,
  type DeadLetter,
  type DeadLetterDiscard,
  type DeadLetterRetry,
  type DeadLettersQuery,
} from './queue/dead-letter.js';
import { queueDepthsSchema, type QueueDepths } from './queue/queue-depths.js';
import { forkResponseSchema, type ForkInput, type ForkResponse } from './time/fork-job.js';
import { jobComparisonSchema, type JobComparison } from './time/job-comparison.js';
import { jobDiffSchema, type JobDiff } from './time/job-diff.js';
import { submitJob, type SubmitFile } from './submit/submit-job.js';
import { tenantListSchema, tenantSchema, type SetTenantRequest, type Tenant } from './tenant/tenant.js';
import type { SubmitRequest, SubmitResponse } from './submit/submit-request.js';

export interface PhaselineClientOptions {
  /** Such as `http://127.0.0.1:7070`; a path before `/v1` is kept. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** For tests, proxies and runtimes with a fetch of their own. */
  readonly fetch?: FetchLike | undefined;
  /** Retries of a request after a broken connection, a timeout, 429, 502, 503 or 504. Default 3. */
  readonly retries?: number;
  /** For one attempt with its answer; of a stream of events, until it begins. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** The pause before retry number `retry` (from 0), in milliseconds; doubles from 200 to 5,000 by default. */
  readonly backoff?: (retry: number) => number;
}

interface Cancellable {
  readonly signal?: AbortSignal;
}

interface Keyed extends Cancellable {
  /** The same key with the same request is done once, however often it is sent. One is invented where none is given. */
  readonly idempotencyKey?: string;
}

/**
 * Talks to a Phaseline server. All methods may throw a PhaselineClientError with a stable `code`, or the reason of the
 * signal that they were given.
 *
 * ```ts
 * const phaseline = new PhaselineClient({ baseUrl: 'http://127.0.0.1:7070' });
 * const { jobId } = await phaseline.submit({ agent: 'creator', documents: [{ name: 'spec.md', content }] });
 * const job = await phaseline.wait(jobId);
 * ```
 */
export class PhaselineClient {
  private readonly transport: Transport;

  /** Throws TypeError when `baseUrl` is none. */
  constructor(private readonly options: PhaselineClientOptions) {
    this.transport = new Transport({
      ...options,
      retries: options.retries ?? 3,
      timeoutMs: options.timeoutMs ?? 30_000,
    });
  }

  /**
   * Asks for a job. Safe to repeat with the same `idempotencyKey`: the second answer names the first job, with
   * `created: false`. `files` go as they are, beside the documents of the request. Throws UnknownAgent, InvalidRequest,
   * IdempotencyConflict.
   */
  submit(
    request: SubmitRequest,
    options: Cancellable & { readonly files?: readonly SubmitFile[] } = {},
  ): Promise<SubmitResponse> {
    return submitJob(this.transport, request, options);
  }

  /** Throws JobNotFound. */
  get(jobId: string, options: Cancellable = {}): Promise<JobSummary> {
    return this.transport.json(this.read(routes.job(jobId), {}, options), jobSummarySchema);
  }

  /** One page of jobs, newest first. */
  listPage(query: Partial<ListJobsQuery> = {}, options: Cancellable = {}): Promise<JobPage> {
    return this.transport.json(this.read(routes.jobs(), query, options), jobPageSchema);
  }

  /** All jobs that pass the filter, newest first; the next page is asked for when the last one is used up. */
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

  /** The job once it has ended, however it ended: look at its `status`. Throws WaitTimedOut, JobNotFound. */
  wait(jobId: string, options: WaitOptions = {}): Promise<JobSummary> {
    return waitForJob(this.transport, jobId, options);
  }

  /**
   * The events of a job as they happen, from `after` on, each once and in order; it reconnects by itself. Ends when the job
   * has. Leave the loop or abort the signal to stop. Throws JobNotFound; ServerUnreachable when reconnecting did not help.
   */
  events(
    jobId: string,
    options: Omit<FollowOptions, 'backoff'> = {},
  ): AsyncGenerator<EventRecord, StreamEnd, undefined> {
    const { backoff } = this.options;
    return followEvents(this.transport, jobId, { ...options, ...(backoff ? { backoff } : {}) });
  }

  /** One page of what is recorded now. */
  eventPage(jobId: string, query: Partial<EventsQuery> = {}, options: Cancellable = {}): Promise<EventPage> {
    return this.transport.json(this.read(routes.jobEvents(jobId), query, options), eventPageSchema);
  }

  /** What the job's events fold to, up to and including position `at`. */
  state(jobId: string, options: Cancellable & { readonly at?: number } = {}): Promise<JobState> {
    return this.transport.json(this.read(routes.jobState(jobId), { at: options.at }, options), jobStateSchema);
  }

  /** What changed from one position of the log to another, or to now; `texts` adds unified diffs of small text files. */
  diff(
    jobId: string,
    options: Cancellable & { readonly from: number; readonly to?: number; readonly texts?: boolean },
  ): Promise<JobDiff> {
    const query = { from: options.from, to: options.to, texts: options.texts === true ? 'true' : undefined };
    return this.transport.json(this.read(routes.jobDiff(jobId), query, options), jobDiffSchema);
  }

  /**
   * A job that goes on from a point of this one: with other models, another agent, other limits, or an answer of yours. The
   * parent is not touched. Repeated safely only with an idempotency key.
   */
  fork(jobId: string, request: ForkInput, options: Cancellable = {}): Promise<ForkResponse> {
    return this.transport.json(
      {
        method: 'POST',
        path: routes.jobFork(jobId),
        body: JSON.stringify(request),
        signal: options.signal,
        repeatable: request.idempotencyKey !== undefined,
      },
      forkResponseSchema,
    );
  }

  /** Two jobs beside each other, usually a job and its fork, and where they first went apart. */
  compare(jobId: string, other: string, options: Cancellable = {}): Promise<JobComparison> {
    return this.transport.json(this.read(routes.jobComparison(jobId, other), {}, options), jobComparisonSchema);
  }

  /** The files of the workspace by path, as they were at position `at`. */
  async files(jobId: string, options: Cancellable & { readonly at?: number } = {}): Promise<readonly WorkspaceFile[]> {
    const list = await this.transport.json(
      this.read(routes.jobFiles(jobId), { at: options.at }, options),
      fileListSchema,
    );
    return list.files;
  }

  /** The exact bytes of a file. Throws FileNotFound. */
  readFile(
    jobId: string,
    path: string,
    options: Cancellable & { readonly at?: number } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const request = this.read(routes.jobFile(jobId, path), { at: options.at }, options);
    return this.transport.send(request, async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  /**
   * The bytes of a file as they arrive, for what is too large for memory. Nothing is asked for again when the connection
   * breaks; compare the size, and the hash as `WorkspaceFile` describes it, with the list of files. Throws FileNotFound.
   */
  streamFile(
    jobId: string,
    path: string,
    options: Cancellable & { readonly at?: number } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const request = this.read(routes.jobFile(jobId, path), { at: options.at }, options);
    return this.transport.send(request, async ({ body }) => body ?? new Blob([]).stream());
  }

  /** A file as text; bytes that are not UTF-8 become U+FFFD. Throws FileNotFound. */
  async readText(jobId: string, path: string, options: Cancellable & { readonly at?: number } = {}): Promise<string> {
    return new TextDecoder().decode(await this.readFile(jobId, path, options));
  }

  /** Asks for the end of a job. Running tools and model calls are stopped; wait for the status `cancelled`. */
  cancel(jobId: string, request: CancelRequest = {}, options: Keyed = {}): Promise<CancelResponse> {
    return this.transport.json(this.order(routes.jobCancel(jobId), request, options), cancelResponseSchema);
  }

  /**
   * Erases what an encrypted job held, for good; the log keeps how it went. Erasing again changes nothing. Throws
   * RequestRefused (`request_refused`) for a job that has not ended or is not encrypted.
   */
  erase(jobId: string, request: EraseRequest = {}, options: Cancellable = {}): Promise<EraseResponse> {
    return this.transport.json(
      {
        method: 'POST',
        path: routes.jobErase(jobId),
        body: JSON.stringify(request),
        signal: options.signal,
        repeatable: true,
      },
      eraseResponseSchema,
    );
  }

  /**
   * Asks a job to pause, to go on, to try its failed phase again, to hear a message, to run a call that waits for approval
   * or not to, or to go on by the newest definition of its agent. It is repeated under one key, so that it is done once
   * however many answers are lost, and the server drops it once nobody waits for it any more. Throws RequestRefused
   * (`request_refused`) when the job as it stands cannot, IdempotencyConflict.
   */
  control<Action extends ControlAction>(
    jobId: string,
    action: Action,
    request: ControlRequests[Action],
    options: Keyed = {},
  ): Promise<ControlResponse> {
    return this.transport.json(this.order(routes.jobControl(jobId, action), request, options), controlResponseSchema);
  }

  /** Tenants that have or wait for something, or whose limit is their own. */
  async tenants(options: Cancellable = {}): Promise<readonly Tenant[]> {
    const { tenants } = await this.transport.json(this.read(routes.tenants(), {}, options), tenantListSchema);
    return tenants;
  }

  /** Sets how many phases of a tenant may be under way at once. Throws InvalidRequest. */
  setTenant(tenant: string, request: SetTenantRequest, options: Cancellable = {}): Promise<Tenant> {
    return this.transport.json(
      {
        method: 'PUT',
        path: routes.tenant(tenant),
        body: JSON.stringify(request),
        signal: options.signal,
        repeatable: true,
      },
      tenantSchema,
    );
  }

  /** The phases of a job, in order. */
  async phases(jobId: string, options: Cancellable = {}): Promise<readonly PhaseRecord[]> {
    return (await this.transport.json(this.read(routes.phases(), { job: jobId }, options), phaseListSchema)).items;
  }

  /** The tool calls of a job, in the order in which they were asked for. */
  async *toolCalls(
    query: Partial<ToolCallsQuery> & Pick<ToolCallsQuery, 'job'>,
    options: Cancellable = {},
  ): AsyncGenerator<ToolCallRecord, void, undefined> {
    for (let { after } = query; ;) {
      const page = await this.transport.json(
        this.read(routes.toolCalls(), { ...query, after }, options),
        toolCallPageSchema,
      );
      yield* page.items;
      if (page.next === undefined) return;
      after = page.next;
    }
  }

  /** What models took, by agent, model, day, tenant or job. */
  costs(query: Partial<CostsQuery> = {}, options: Cancellable = {}): Promise<CostReport> {
    return this.transport.json(this.read(routes.costs(), query, options), costReportSchema);
  }

  /** What was due on each queue over the last minutes, as the log tells it. */
  async queueHistory(minutes?: number, options: Cancellable = {}): Promise<readonly QueueMinute[]> {
    return (await this.transport.json(this.read(routes.queueHistory(), { minutes }, options), queueHistorySchema))
      .items;
  }

  /** How much waits in each queue. */
  queues(options: Cancellable = {}): Promise<QueueDepths> {
    return this.transport.json(this.read(routes.queues(), {}, options), queueDepthsSchema);
  }

  /** All messages that could not be delivered, latest first. */
  async *deadLetters(
    query: Partial<DeadLettersQuery> = {},
    options: Cancellable = {},
  ): AsyncGenerator<DeadLetter, void, undefined> {
    for (let { cursor } = query; ;) {
      const page = await this.transport.json(
        this.read(routes.deadLetters(), { ...query, cursor }, options),
        deadLetterPageSchema,
      );
      yield* page.items;
      if (page.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  /** Puts a message that was given up back on its queue. Throws InvalidRequest when it would be refused again. */
  retryDeadLetter(id: string, options: Cancellable = {}): Promise<DeadLetterRetry> {
    return this.transport.json(this.post(routes.deadLetterRetry(id), options), deadLetterRetrySchema);
  }

  /** Closes a message that was given up without sending it again. Throws RequestRefused when it was retried already. */
  discardDeadLetter(id: string, options: Cancellable = {}): Promise<DeadLetterDiscard> {
    return this.transport.json(this.post(routes.deadLetterDiscard(id), options), deadLetterDiscardSchema);
  }

  private post(path: string, { signal }: Cancellable): ApiRequest {
    return { method: 'POST', path, signal, repeatable: true };
  }

  private order(path: string, request: object, { signal, idempotencyKey }: Keyed): ApiRequest {
    return {
      method: 'POST',
      path,
      headers: { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey ?? randomKey() },
      body: JSON.stringify(request),
      signal,
      repeatable: true,
      tellsPatience: true,
    };
  }

  private read(
    path: string,
    query: Readonly<Record<string, string | number | readonly string[] | undefined>>,
    options: Cancellable,
  ) {
    return { method: 'GET' as const, path, query, signal: options.signal, repeatable: true };
  }
}
