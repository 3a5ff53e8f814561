import { setTimeout as sleep } from 'node:timers/promises';
import {
  agentDefinitionSchema,
  phaseStream,
  workflowSchema,
  type AgentDefinition,
  type ChatAnswer,
  type ChatRequest,
  type Workflow,
} from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { Histories } from '@phaseline/history';
import type { ChatModel } from '@phaseline/model';
import { ModelError, modelProfileSchema } from '@phaseline/model';
import { JobDriver, Reconciler, submitJob, type Admission, type JobRequest } from '@phaseline/orchestration';
import { PhaseRunner, type ConfiguredModel, type Holdings, type PhaseRunnerParts } from '@phaseline/phase-runner';
import { ToolRunner } from '@phaseline/tool-execution';
import { todosPack, ToolRegistry, workspacePack, type ToolPack } from '@phaseline/tools';

export type Reply = Partial<Omit<ChatAnswer, 'calls'>> & {
  readonly calls?: readonly { readonly name: string; readonly arguments?: object }[];
};
export type Policy = (request: ChatRequest, signal: AbortSignal) => Reply | Promise<Reply>;

interface Message {
  readonly queue: string;
  readonly payload: {
    readonly jobId: string;
    readonly phase: number;
    readonly callId?: string;
    readonly epoch: number;
  };
  readonly id: string;
}

export interface EngineOptions {
  readonly store: EventLog;
  readonly policy: Policy;
  readonly packs?: readonly ToolPack[];
  readonly agent?: Partial<AgentDefinition>;
  /** That every job of the agent is given. */
  readonly files?: readonly { readonly path: string; readonly content: Uint8Array }[];
  /** Changes to the shipped shape of the workflow used here. */
  readonly workflow?: Workflow;
  /** Called for every message; return false to lose it. */
  readonly onSend?: (message: Message) => boolean;
  /** Runs while the message is on its way already and its sender does not know yet: a queue may deliver before it answers. */
  readonly afterSend?: (message: Message) => Promise<void>;
  readonly pricePerMillion?: number;
  /** How long a call waits for a model server that is away; not at all where it is left out, so that no spec waits. */
  readonly modelWaitMs?: number;
  /** Passes the time while it waits. */
  readonly sleep?: PhaseRunnerParts['sleep'];
  readonly probeEveryMs?: number;
  /** In place of the policy: a client of a real server. */
  readonly model?: ConfiguredModel;
  /** In place of all these: models as a worker finds them. */
  readonly models?: PhaseRunnerParts['models'];
  /** Of every state of the workflow. */
  readonly retries?: number;
  readonly backoffMs?: number;
  /** Who decides whose phases may be under way; everybody's, where it is missing. */
  readonly admission?: Admission;
}

/**
 * The deciders, runners and the reconciler over a real log, in one process and with a queue in memory, so that a spec can
 * lose, repeat and reorder messages and stop any part at any point.
 */
export class Engine {
  /** What a policy throws for a model server that cannot be reached. */
  static readonly ModelDown = class extends ModelError {
    constructor() {
      super('unreachable', 'the model server is down', { retryable: true, mayBeCharged: false, attempts: 5 });
    }
  };

  private forwarded = 0;
  readonly histories: Histories;
  readonly driver: JobDriver;
  readonly reconciler: Reconciler;
  readonly tools: ToolRegistry;
  /** Messages on their way, oldest first. */
  readonly messages: Message[] = [];
  /** Streams and calls held by processes that live; a spec kills a process by taking its name out. */
  readonly alive = new Set<string>(['worker', 'runner']);
  private readonly held = new Map<string, Set<string>>();

  constructor(private readonly options: EngineOptions) {
    const { store, admission } = options;
    const admitted = admission ? { admission } : {};
    this.histories = new Histories(store);
    this.tools = new ToolRegistry([workspacePack, todosPack, ...(options.packs ?? [])]);
    this.driver = new JobDriver({
      processId: 'orchestrator',
      store,
      histories: this.histories,
      sender: this.sender,
      leases: this.leases,
      clock: this.clock,
      ...admitted,
    });
    this.reconciler = new Reconciler(
      { store, histories: this.histories, driver: this.driver, sender: this.sender, leases: this.leases, ...admitted },
      { idleForMs: 0, steadyNow: () => performance.now() + this.forwarded },
    );
  }

  /** A worker of its own; two of them are two processes. */
  worker(processId = 'worker', policy: Policy = this.options.policy): PhaseRunner {
    const model: ChatModel = { complete: async (request, { signal }) => answerOf(await policy(request, signal)) };
    const price = this.options.pricePerMillion ?? 1;
    const profile = modelProfileSchema.parse({
      name: 'default',
      model: 'scripted',
      contextTokens: 100_000,
      maxOutputTokens: 1_000,
      prices: { inputPerMillion: price, cachedInputPerMillion: price, outputPerMillion: price },
    });
    const given = this.options.model ?? { profile, model, contextTokens: 100_000 };
    const retries = { ...given.profile.retries, waitMs: this.options.modelWaitMs ?? 0 };
    const configured = { ...given, profile: { ...given.profile, retries } };
    return new PhaseRunner({
      processId,
      histories: new Histories(this.options.store),
      blobs: this.options.store.blobs,
      models: this.options.models ?? { find: (name) => (name === 'default' ? configured : undefined) },
      tools: this.tools,
      sender: this.sender,
      leases: this.leases,
      holdings: this.holdings(processId),
      clock: this.clock,
      ...(this.options.sleep ? { sleep: this.options.sleep } : {}),
      ...(this.options.probeEveryMs === undefined ? {} : { probeEveryMs: this.options.probeEveryMs }),
    });
  }

  /** Lets time pass for all parts at once. */
  forward(ms: number): void {
    this.forwarded += ms;
  }

  /** Waits until nothing more is appended to the job for a moment. */
  async quiet(jobId: string): Promise<void> {
    for (let before = -1, now = -2; before !== now;) {
      before = now;
      await sleep(5);
      now = (await this.options.store.readCorrelation(jobId)).length;
    }
  }

  toolRunner(processId = 'runner'): ToolRunner {
    return new ToolRunner({
      processId,
      histories: new Histories(this.options.store),
      blobs: this.options.store.blobs,
      tools: this.tools,
      sender: this.sender,
      leases: this.leases,
      holdings: this.holdings(processId),
      limits: { attempts: 3, backoffMs: 1 },
    });
  }

  async submit(request: Partial<JobRequest> = {}): Promise<string> {
    const { agent, workflow } = this.options;
    const definition = agentDefinitionSchema.parse({ ...defaultAgent, ...agent });
    const agents = {
      resolve: () => ({
        definition,
        hash: '0'.repeat(64),
        instructions: 'Do it.\n',
        files: this.options.files ?? [],
        workflow: patient(workflow ?? defaultWorkflow, this.options),
        workflowHash: '0'.repeat(64),
      }),
    };
    const { jobId } = await submitJob(
      { store: this.options.store, histories: this.histories, agents },
      { agent: 'tester', ...request },
      { actor: 'spec' },
    );
    return jobId;
  }

  /** Decides, delivers and decides again until nothing moves. */
  async run(
    jobId: string,
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

  async deliver(message: Message, worker: PhaseRunner, runner: ToolRunner): Promise<string> {
    const { payload } = message;
    const signal = new AbortController().signal;
    if (message.queue === 'tools') return runner.run({ ...payload, callId: payload.callId! }, signal);
    return worker.run(payload, signal);
  }

  /** Types of a stream's events, in order. */
  async phaseEvents(
    jobId: string,
    phase: number,
  ): Promise<readonly { readonly type: string; readonly data: Record<string, unknown> }[]> {
    const events = await this.options.store.read(phaseStream(jobId, phase));
    return events.map(({ type, data }) => ({ type, data: data as Record<string, unknown> }));
  }

  private get clock() {
    return { now: () => new Date(Date.now() + this.forwarded) };
  }

  private readonly sender = {
    send: async (queue: string, payload: object, { id }: { id: string }): Promise<void> => {
      // A timer only makes the driver look again, and `run` looks all the time.
      if (queue === 'timers') return;
      const message = { queue, payload, id } as Message;
      if (this.messages.some((waiting) => waiting.id === id)) return;
      if (this.options.onSend?.(message) === false) return;
      this.messages.push(message);
      await this.options.afterSend?.(message);
    },
  };

  private readonly leases = {
    isHeld: async (processId: string, holding: string): Promise<boolean> =>
      this.alive.has(processId) && (this.held.get(processId)?.has(holding) ?? false),
  };

  private holdings(processId: string): Holdings {
    const held = new Set<string>();
    this.held.set(processId, held);
    return { add: (holding) => void held.add(holding), remove: (holding) => void held.delete(holding) };
  }
}

/** With the retries and the backoff that a spec asks for. */
function patient(workflow: Workflow, { retries, backoffMs }: EngineOptions): Workflow {
  const states = Object.entries(workflow.states).map(([name, state]) => [
    name,
    { ...state, ...(retries === undefined ? {} : { retries }), ...(backoffMs === undefined ? {} : { backoffMs }) },
  ]);
  return { ...workflow, states: Object.fromEntries(states) };
}

export function answerOf(reply: Reply): ChatAnswer {
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: `id${index}`,
    name: call.name,
    arguments: { kind: 'parsed' as const, value: (call.arguments ?? {}) as never },
  }));
  return {
    content: reply.content ?? '',
    calls,
    end: reply.end ?? (calls.length > 0 ? 'calls' : 'stop'),
    usage: reply.usage ?? { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, estimated: false },
  };
}

const defaultAgent = {
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
