import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@phaseline/basics';
import {
  agentDefinitionSchema,
  phaseStream,
  workflowSchema,
  type AgentDefinitionInput,
  type Guard,
  type JobState,
  type PhaseState,
  type Workflow,
} from '@phaseline/domain';
import {
  messageSpecs,
  type ChatAnswer,
  type ChatRequest,
  type Sender,
  type JobId,
  type CallId,
  type ProcessId,
} from '@phaseline/contracts';
import type { EventLog } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { ModelError, modelProfileSchema, type ChatModel } from '@phaseline/model';
import {
  JobDriver,
  Reconciler,
  submitJob,
  type Admission,
  type AgentSource,
  type JobRequest,
  type SearchPrecedents,
} from '@phaseline/orchestration';
import {
  parseHandedEnd,
  parseNewerEvents,
  PhaseRunner,
  ToolRunner,
  type ConfiguredModel,
  type HeldLeases,
  type PhaseRunnerParts,
  type ToolRunnerParts,
} from '@phaseline/execution';
import { todosPack, workspacePack } from '@phaseline/inline-packs';
import { parseAmended, ToolRegistry, type ToolPack } from '@phaseline/tools';

export type Reply = Partial<Omit<ChatAnswer, 'calls'>> & {
  readonly calls?: readonly { readonly name: string; readonly arguments?: object }[];
};
export type Policy = (request: ChatRequest, signal: AbortSignal) => Reply | Promise<Reply>;

interface Message {
  readonly queue: string;
  readonly payload: {
    readonly jobId: JobId;
    readonly phase: number;
    readonly callId?: CallId;
    readonly epoch: number;
  };
  readonly id: string;
  /** What was enclosed, if the message was handed over. */
  readonly enclosed?: unknown;
  /** What its sender does if the receiver does not take it, if it was handed over with what is not in the log. */
  readonly otherwise?: () => Promise<void>;
}

export interface EngineOptions {
  readonly store: EventLog;
  readonly policy: Policy;
  readonly packs?: readonly ToolPack[];
  readonly agent?: Partial<AgentDefinitionInput>;
  /** Source of the agents, used instead of `agent`, `files` and `workflow`. */
  readonly agents?: AgentSource;
  /** Files that every job of the agent starts with. */
  readonly files?: readonly { readonly path: string; readonly content: Uint8Array }[];
  /** Workflow of the jobs; `defaultWorkflow` if omitted. */
  readonly workflow?: Workflow;
  /** Called for every message; returns false to lose it. */
  readonly onSend?: (message: Message) => boolean;
  /** Runs after the message is queued and before its sender continues: a queue may deliver before it confirms. */
  readonly afterSend?: (message: Message) => Promise<void>;
  readonly pricePerMillion?: number;
  /** Maximum time to wait for a model server that is down, in milliseconds; 0 if omitted. */
  readonly modelWaitMs?: number;
  /** Replaces the pause of that wait. */
  readonly sleep?: PhaseRunnerParts['sleep'];
  readonly probeEveryMs?: number;
  /** Client of a real server, used instead of the policy. */
  readonly model?: ConfiguredModel;
  /** Model catalogue of the workers, used instead of `model` and the policy. */
  readonly models?: PhaseRunnerParts['models'];
  /** Retries of every state of the workflow. */
  readonly retries?: number;
  readonly backoffMs?: number;
  /** Told by the tool-runner of the ends of calls. */
  readonly callEnds?: ToolRunnerParts['callEnds'];
  /** Guards of the installation and the tenant. */
  readonly guards?: readonly Guard[];
  /** Finds promoted learning traces for the phases; none if omitted. */
  readonly searchPrecedents?: SearchPrecedents;
  /** Whether processes hand work over to each other with what they know, as they do where one is free; default false. */
  readonly handsOver?: boolean;
  /** Limits which phases may run; no limit if omitted. */
  readonly admission?: Admission;
}

/**
 * Deciders, runners and the reconciler in one process, over a real log and an in-memory queue. A spec can lose, repeat and
 * reorder messages and stop any part at any point.
 */
export class Engine {
  /** Error that a policy throws to simulate an unreachable model server. */
  static readonly ModelDown = class extends ModelError {
    constructor() {
      super('unreachable', 'the model server is down', { retryable: true, mayBeCharged: false, attempts: 5 });
    }
  };

  private forwardedMs = 0;
  readonly repository: JobRepository;
  readonly driver: JobDriver;
  readonly reconciler: Reconciler;
  readonly tools: ToolRegistry;
  /** Messages in flight, oldest first. */
  readonly messages: Message[] = [];
  /** Names of live processes. A spec kills a process by deleting its name. */
  readonly alive = new Set<string>(['worker', 'runner']);
  /** Streams and calls per process of which it holds the lease. */
  private readonly heldLeases = new Map<string, Set<string>>();

  constructor(private readonly options: EngineOptions) {
    const { store, admission } = options;
    const admitted = admission ? { admission } : {};
    this.repository = new JobRepository(store);
    this.tools = new ToolRegistry([workspacePack, todosPack, ...(options.packs ?? [])]);
    this.driver = new JobDriver({
      processId: 'orchestrator',
      store,
      repository: this.repository,
      sender: this.sender,
      leases: this.leases,
      clock: this.clock,
      parseArguments: (phase, name, args) => parseAmended(this.tools, phase, name, args),
      ...admitted,
      listSharedGuards: async () => options.guards ?? [],
      ...(options.searchPrecedents ? { searchPrecedents: options.searchPrecedents } : {}),
    });
    this.reconciler = new Reconciler(
      {
        store,
        repository: this.repository,
        driver: this.driver,
        sender: this.sender,
        leases: this.leases,
        ...admitted,
      },
      { idleForMs: 0, steadyNow: () => performance.now() + this.forwardedMs },
    );
  }

  /** Creates a worker. Each one acts as a separate process. */
  worker(processId: ProcessId = 'worker', policy: Policy = this.options.policy): PhaseRunner {
    const model: ChatModel = { complete: async (request, { signal }) => toChatAnswer(await policy(request, signal)) };
    const price = this.options.pricePerMillion ?? 1;
    const profile = modelProfileSchema.parse({
      name: 'default',
      model: 'scripted',
      contextTokens: 100_000,
      maxOutputTokens: 1_000,
      prices: { inputUsdPerMillion: price, cachedInputUsdPerMillion: price, outputUsdPerMillion: price },
    });
    const base = this.options.model ?? { profile, model, contextTokens: 100_000 };
    const retries = { ...base.profile.retries, waitMs: this.options.modelWaitMs ?? 0 };
    const configured = { ...base, profile: { ...base.profile, retries } };
    return new PhaseRunner({
      processId,
      repository: new JobRepository(this.options.store),
      blobs: this.options.store.blobs,
      models: this.options.models ?? { find: (name) => (name === 'default' ? configured : undefined) },
      tools: this.tools,
      sender: this.sender,
      leases: this.leases,
      heldLeases: this.openHeldLeases(processId),
      clock: this.clock,
      ...(this.options.sleep ? { sleep: this.options.sleep } : {}),
      ...(this.options.probeEveryMs === undefined ? {} : { probeEveryMs: this.options.probeEveryMs }),
    });
  }

  /** Moves the clock of all parts forward. */
  advanceTime(ms: number): void {
    this.forwardedMs += ms;
  }

  /** Waits until no event is appended to the job for 5 ms. */
  async waitUntilQuiet(jobId: JobId): Promise<void> {
    for (let before = -1, now = -2; before !== now;) {
      before = now;
      await sleep(5);
      now = (await this.options.store.readCorrelation(jobId)).length;
    }
  }

  toolRunner(processId: ProcessId = 'runner'): ToolRunner {
    return new ToolRunner({
      processId,
      repository: new JobRepository(this.options.store),
      blobs: this.options.store.blobs,
      tools: this.tools,
      sender: this.sender,
      leases: this.leases,
      heldLeases: this.openHeldLeases(processId),
      limits: { attempts: 3, backoffMs: 1 },
      clock: this.clock,
      callEnds: this.options.callEnds,
    });
  }

  async submit(request: Partial<JobRequest> = {}): Promise<JobId> {
    const { agent, workflow } = this.options;
    const definition = agentDefinitionSchema.parse({ ...defaultAgent, ...agent });
    const agents = this.options.agents ?? {
      resolve: () => ({
        definition,
        hash: '0'.repeat(64),
        instructions: 'Do it.\n',
        files: this.options.files ?? [],
        workflow: withRetries(workflow ?? defaultWorkflow, this.options),
        workflowHash: '0'.repeat(64),
      }),
    };
    const { jobId } = await submitJob(
      { store: this.options.store, repository: this.repository, agents, clock: this.clock },
      { agent: 'tester', mayActForOthers: true, ...request },
      { actor: { id: 'spec', kind: 'process' } },
    );
    return jobId;
  }

  /** Submits a job, runs it and returns its id. */
  async submitAndRun(request?: Partial<JobRequest>): Promise<JobId> {
    const jobId = await this.submit(request);
    await this.run(jobId);
    return jobId;
  }

  /** Advances the job and delivers its messages until none is left. */
  async run(
    jobId: JobId,
    parts: { worker?: PhaseRunner; runner?: ToolRunner; deliveries?: number; messages?: number } = {},
  ): Promise<void> {
    const worker = parts.worker ?? this.worker();
    const runner = parts.runner ?? this.toolRunner();
    await this.driver.advance(jobId);
    for (let guard = 0; guard < (parts.messages ?? 500) && this.messages.length > 0; guard += 1) {
      const message = this.messages.shift()!;
      for (let time = 0; time < (parts.deliveries ?? 1); time += 1) await this.deliver(message, worker, runner);
      await this.driver.advance(jobId);
    }
  }

  /** Advances the job and delivers its messages until the next one is a tool call, which stays in the queue. */
  async runUntilToolCall(jobId: JobId, worker: PhaseRunner, runner: ToolRunner): Promise<void> {
    await this.driver.advance(jobId);
    while (this.messages[0]?.queue !== 'tools') {
      await this.deliver(this.messages.shift()!, worker, runner);
      await this.driver.advance(jobId);
    }
  }

  async deliver(message: Message, worker: PhaseRunner, runner: ToolRunner): Promise<string> {
    const { payload, enclosed } = message;
    const signal = new AbortController().signal;
    if (message.queue === 'tools')
      return runner.run({ ...payload, callId: payload.callId!, newer: parseNewerEvents(enclosed) }, signal);
    return worker.run({ ...payload, end: parseHandedEnd(payload, enclosed) }, signal);
  }

  /** Runs a pass of the reconciler, in which no stream may fail. */
  async reconcile(): Promise<void> {
    await this.reconciler.runPass((_stream, error) => {
      throw error;
    });
  }

  async loadJob(jobId: JobId): Promise<JobState> {
    return (await this.repository.loadJob(jobId))!;
  }

  async loadPhase(jobId: JobId, phase: number): Promise<PhaseState> {
    return (await this.repository.loadPhase(jobId, phase))!;
  }

  /** Returns the types of a phase's events, in order. */
  async eventTypes(jobId: JobId, phase: number): Promise<readonly string[]> {
    return (await this.phaseEvents(jobId, phase)).map(({ type }) => type);
  }

  /** Returns type and data of a phase's events, in order. */
  async phaseEvents(
    jobId: JobId,
    phase: number,
  ): Promise<readonly { readonly type: string; readonly data: Record<string, unknown> }[]> {
    const events = await this.options.store.read(phaseStream(jobId, phase));
    return events.map(({ type, data }) => ({ type, data: data as Record<string, unknown> }));
  }

  /** The log on which the engine works. */
  get store(): EventLog {
    return this.options.store;
  }

  private get clock() {
    return { now: () => new Date(Date.now() + this.forwardedMs) };
  }

  private get sender(): Sender {
    const { handsOver = false } = this.options;
    return {
      send: async (queue, payload, options) => {
        // A timer message only makes the driver advance the job, which `run` does after every message.
        if (queue === 'timers' || queue === 'jobs') return;
        const id = messageSpecs[queue].id(payload);
        if (this.messages.some((waiting) => waiting.id === id)) return;
        const enclosed = handsOver ? options?.handOver?.enclosed : undefined;
        await this.addMessage({ queue, payload, id, enclosed: toJson(enclosed) } as Message);
      },
      ...(handsOver
        ? {
            handOver: async (queue, payload, { enclosed, otherwise }) => {
              const id = messageSpecs[queue].id(payload);
              await this.addMessage({ queue, payload, id, enclosed: toJson(enclosed), otherwise } as Message);
              return true;
            },
          }
        : {}),
    };
  }

  private async addMessage(message: Message): Promise<void> {
    if (this.options.onSend?.(message) === false) return;
    this.messages.push(message);
    await this.options.afterSend?.(message);
  }

  private readonly leases = {
    isLeaseHeld: async (processId: ProcessId, lease: string): Promise<boolean> =>
      this.alive.has(processId) && (this.heldLeases.get(processId)?.has(lease) ?? false),
    isCallHeld: async (lease: string): Promise<boolean> =>
      [...this.heldLeases].some(([processId, held]) => this.alive.has(processId) && held.has(lease)),
  };

  private openHeldLeases(processId: ProcessId): HeldLeases {
    const held = new Set<string>();
    this.heldLeases.set(processId, held);
    return { addLease: (lease) => void held.add(lease), removeLease: (lease) => void held.delete(lease) };
  }
}

/** The value as another process receives it. */
function toJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Sets the retries and the backoff of every state. */
function withRetries(workflow: Workflow, { retries, backoffMs }: EngineOptions): Workflow {
  const states = Object.entries(workflow.states).map(([name, state]) => [
    name,
    { ...state, ...(retries === undefined ? {} : { retries }), ...(backoffMs === undefined ? {} : { backoffMs }) },
  ]);
  return { ...workflow, states: Object.fromEntries(states) };
}

export function toChatAnswer(reply: Reply): ChatAnswer {
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: `id${index}`,
    name: call.name,
    // Policies write their arguments as literals, which are JSON but have no index signature.
    arguments: { kind: 'parsed' as const, value: (call.arguments ?? {}) as JsonObject },
  }));
  return {
    content: reply.content ?? '',
    calls,
    end: reply.end ?? (calls.length > 0 ? 'calls' : 'stop'),
    usage: reply.usage ?? { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, estimated: false },
  };
}

export const defaultAgent = {
  name: 'tester',
  displayName: 'Tester',
  tools: { workspace: ['read_file', 'write_file', 'list_files'] },
  todos: { min: 1, max: 20 },
};

export const defaultWorkflow: Workflow = workflowSchema.parse({
  name: 'alternate',
  version: 1,
  start: 'plan',
  states: {
    plan: {
      kind: 'strategic',
      title: 'Plan',
      todos: ['Plan the work'],
      finish: 'planned',
      outcomes: { planned: { to: 'execute', gates: ['todos-file'] } },
    },
    execute: {
      kind: 'tactical',
      title: 'Work',
      todos: 'from-file',
      finish: 'done',
      archive: true,
      outcomes: { done: { to: 'review' } },
    },
    review: {
      kind: 'strategic',
      title: 'Review',
      todos: ['Plan the next phase, or complete the job'],
      finish: 'planned',
      completion: 'completed',
      outcomes: {
        planned: { to: 'execute', gates: ['todos-file'] },
        completed: { end: 'completed', gates: ['deliverables'] },
      },
    },
  },
});
