import {
  agentDefinitionSchema,
  decodePhaseEvent,
  workflowSchema,
  type AgentDefinition,
  type ContextSettings,
  type PhaseEvent,
  type Workflow,
} from '@phaseline/domain';
import { type ChatAnswer, type ChatRequest } from '@phaseline/contracts';
import { modelProfileSchema } from '@phaseline/model';
import { toChatAnswer, defaultWorkflow, Engine, MemoryLog } from '@phaseline/harness';
import { BenchFailed } from '../bench-failed.js';
import { ScriptedWork, type WorkOptions } from './scripted-work.js';

export interface RunOptions extends WorkOptions {
  readonly context?: Partial<ContextSettings>;
  /** Runs everything in one phase instead of planned phases. */
  readonly onePhase?: boolean;
  readonly contextTokens?: number;
}

/** A model call and its answer. */
interface MadeCall {
  readonly request: ChatRequest;
  readonly answer: ChatAnswer;
}

export interface WorkRun {
  readonly calls: readonly MadeCall[];
  /** The events of all phases, in order. */
  readonly events: readonly PhaseEvent[];
  /** Full tool results by call. */
  readonly results: ReadonlyMap<string, string>;
}

/** Runs the work with the real deciders, phase runner, tool-runner and tools on an in-memory log. */
export async function runWork(options: RunOptions): Promise<WorkRun> {
  const work = new ScriptedWork(options);
  const calls: MadeCall[] = [];
  const { contextTokens = 128_000 } = options;
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'scripted',
    contextTokens,
    maxOutputTokens: 16_384,
  });
  const model = {
    complete: async (request: ChatRequest): Promise<ChatAnswer> => {
      const answer = toChatAnswer(work.policy(request));
      calls.push({ request, answer });
      return answer;
    },
  };
  const store = new MemoryLog(Date.now);
  const engine = new Engine({
    store,
    policy: work.policy,
    packs: [work.pack],
    agent: agentFor(options),
    workflow: options.onePhase ? createOnePhaseWorkflow(options) : defaultWorkflow,
    model: { profile, model, contextTokens },
  });
  const jobId = await engine.submit();
  await engine.run(jobId, { messages: 1_000_000 });
  const job = await engine.repository.loadJob(jobId);
  if (job?.status !== 'completed')
    throw new BenchFailed(`the benchmark job is ${job?.status}: ${JSON.stringify(job?.failure)}`);
  const recorded = await store.readCorrelation(jobId);
  const events = recorded.filter(({ streamId }) => streamId.startsWith('phase-')).map(decodePhaseEvent);
  return { calls, events, results: work.results };
}

function agentFor({ context, steps }: RunOptions): Partial<AgentDefinition> {
  const own = agentDefinitionSchema.parse({ name: 'reader', displayName: 'Reader', tools: {} });
  return {
    tools: {
      workspace: ['read_file', 'write_file', 'append_file', 'edit_file', 'list_files', 'search_files'],
      strategic: ['todo_write', 'todo_complete', 'job_complete'],
      tactical: ['todo_complete'],
      domain: ['fetch_passage', 'search_corpus'],
    },
    limits: { ...own.limits, steps: steps + 100 },
    context: { ...own.context, ...context },
  };
}

function createOnePhaseWorkflow({ steps, callsPerTodo }: RunOptions): Workflow {
  const todos = Array.from(
    { length: Math.ceil(steps / (callsPerTodo + 1)) },
    (_, index) => `Read part ${index + 1} of the corpus`,
  );
  const work = { kind: 'tactical', title: 'Read', todos, finish: 'done', outcomes: { done: { end: 'completed' } } };
  return workflowSchema.parse({ name: 'reading', version: 1, start: 'work', states: { work } });
}
