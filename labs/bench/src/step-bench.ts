import { randomUUID } from 'node:crypto';
import {
  agentDefinitionSchema,
  type AgentDefinition,
  assertReadable,
  listEventVersions,
  workflowSchema,
} from '@phaseline/domain';
import { type ToolLane } from '@phaseline/contracts';
import { readSealing } from '@phaseline/cluster';
import { createPool, EventStore } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { createInstantModel, modelProfileSchema } from '@phaseline/model';
import { JobDriver, submitJob } from '@phaseline/orchestration';
import { parseHandedEnd, parseNewerEvents, PhaseRunner, ToolRunner } from '@phaseline/execution';
import { createQueues, type BackendConfig, type Queues } from '@phaseline/queue';
import { ToolRegistry } from '@phaseline/tools';
import { todosPack, workspacePack } from '@phaseline/inline-packs';
import { CachedBlobs } from '@phaseline/workspace';
import { requireCount } from './bench-failed.js';
import { percentile } from '@phaseline/harness';
import { requireCompleted } from './require-completed.js';
import { createStepCall, stepPack, STEP_TOOLS } from './step-calls.js';

/*
 * Measures the overhead of a step: real log and queues, an instant model, and the worker and the tool-runner in one process. The overhead
 * is the time from the end of one model call to the start of the next one of the same phase: admission, tools, commit, prompt, and for
 * `remote` tools both queue hops.
 *
 * Options: lane, concurrent jobs, steps per job, backend.
 */

export interface StepBenchOptions {
  readonly databaseUrl: string;
  readonly backend: BackendConfig;
  /** Lane of the tool; `file` is an inline tool that also stores a file. */
  readonly lane: ToolLane | 'file';
  readonly jobs: number;
  readonly stepsPerJob: number;
  /** Whether `remote` calls and the phases after them pass through the queue, as when no process is free; default false. */
  readonly isQueued?: boolean;
  /** Limits of the agent that differ from the defaults. */
  readonly limits?: Partial<AgentDefinition['limits']>;
}

export interface StepFigures {
  readonly stepsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Model answers in the log. */
  readonly steps: number;
}

const workflow = workflowSchema.parse({
  name: 'bench',
  version: 1,
  start: 'work',
  states: {
    work: {
      kind: 'tactical',
      title: 'Work',
      todos: ['Take the steps'],
      finish: 'done',
      outcomes: { done: { end: 'completed' } },
    },
  },
});

/**
 * Runs the jobs to their end and returns the figures of their steps, without the first steps of each job (warm-up). Counts steps from the
 * log. Throws `BenchFailed` if a job did not complete or a step is missing.
 */
export async function measureSteps(options: StepBenchOptions): Promise<StepFigures> {
  const pool = createPool(options.databaseUrl, { max: 8, applicationName: 'bench' });
  const queues = await createQueues(options.backend, {
    onDeadLetter: async () => undefined,
    onError: (error) => console.error(error),
    // A process without an id is not offered messages, and offers none.
    ...(options.isQueued ? {} : { processId: 'bench', sealing: await readSealing(pool, listEventVersions()) }),
  });
  try {
    return await measure(options, pool, queues);
  } finally {
    await queues.close(5_000);
    await pool.end();
  }
}

async function measure(
  options: StepBenchOptions,
  pool: ReturnType<typeof createPool>,
  queues: Queues,
): Promise<StepFigures> {
  const store = new EventStore(pool, { checkEvent: assertReadable });
  const { lane, jobs, stepsPerJob } = options;
  const ended = Promise.withResolvers<undefined>();
  let open = jobs;
  const repository = new JobRepository(store, {
    onAppended: ({ end }) => {
      if (end && (open -= 1) === 0) ended.resolve(undefined);
    },
  });
  const tools = new ToolRegistry([workspacePack, todosPack, stepPack]);
  const gaps: number[] = [];
  const lastEnd = new Map<string, number>();
  const model = createInstantModel(({ messages }) => {
    const system = messages[0]?.content ?? '';
    const job = /agent "(bench-\d+)"/.exec(system)?.[1] ?? '';
    const turn = messages.filter((message) => message.role === 'assistant').length;
    const before = lastEnd.get(job);
    if (before !== undefined && turn > 3) gaps.push(performance.now() - before);
    const call = turn >= stepsPerJob ? { name: 'todo_complete', arguments: {} } : createStepCall(lane, turn);
    // Set in a microtask after the answer, so that the figure does not include this function.
    queueMicrotask(() => lastEnd.set(job, performance.now()));
    return { calls: [call], usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, estimated: false } };
  });
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'instant',
    contextTokens: 1_000_000,
    maxOutputTokens: 1_000,
  });
  const heldLeases = { addLease: () => undefined, removeLease: () => undefined };
  const leases = { isLeaseHeld: async () => true, isCallHeld: async () => true };
  const clock = { now: () => new Date() };
  const parts = {
    processId: 'bench',
    repository,
    blobs: new CachedBlobs(store.blobs),
    tools,
    sender: queues,
    leases,
    heldLeases,
    clock,
  };
  const worker = new PhaseRunner({
    ...parts,
    models: { find: () => ({ profile, model, contextTokens: 1_000_000 }) },
  });
  const toolRunner = new ToolRunner({
    ...parts,
    repository: new JobRepository(store),
    limits: { attempts: 3, backoffMs: 100 },
  });
  const concurrency = Math.max(4, jobs);
  await queues.work(
    'tactical',
    async (payload, { signal, enclosed }) =>
      void (await worker.run({ ...payload, end: parseHandedEnd(payload, enclosed) }, signal)),
    { concurrency },
  );
  await queues.work(
    'tools',
    async (payload, { signal, enclosed }) =>
      void (await toolRunner.run({ ...payload, newer: parseNewerEvents(enclosed) }, signal)),
    { concurrency },
  );

  const driver = new JobDriver({ processId: 'bench', store, repository, sender: queues, leases: parts.leases, clock });
  const started = performance.now();
  const ids = await Promise.all(
    Array.from({ length: jobs }, async (_, index) => {
      const definition = agentDefinitionSchema.parse({
        name: `bench-${index}`,
        displayName: 'Bench',
        tools: STEP_TOOLS,
        limits: { steps: stepsPerJob + 10, ...options.limits },
        // The work makes no progress on purpose: it completes its todo at the end.
        stuck: { enabled: false },
      });
      const agents = {
        resolve: () => ({
          definition,
          hash: '0'.repeat(64),
          instructions: 'Take the steps.',
          workflow,
          workflowHash: '0'.repeat(64),
        }),
      };
      const { jobId } = await submitJob(
        { store, repository, agents, clock },
        { agent: definition.name, idempotencyKey: randomUUID() },
        { actor: { id: 'bench', kind: 'process' } },
      );
      await driver.advance(jobId);
      return jobId;
    }),
  );
  await ended.promise;
  const seconds = (performance.now() - started) / 1_000;
  for (const jobId of ids) await driver.advance(jobId);
  const { steps, completedCalls } = await requireCompleted(pool, ids);
  requireCount('steps in the log', steps, jobs * (stepsPerJob + 1));
  requireCount('tool calls in the log', completedCalls, steps);
  return { stepsPerSecond: steps / seconds, p50Ms: percentile(gaps, 0.5), p99Ms: percentile(gaps, 0.99), steps };
}
