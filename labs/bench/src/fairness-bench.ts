import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobId } from '@phaseline/contracts';
import { agentDefinitionSchema, phaseEndTypes, workflowSchema } from '@phaseline/domain';
import { createPool, EventStore, Subscription } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { createInstantModel, modelProfileSchema } from '@phaseline/model';
import { JobDriver, PostgresAdmission, submitJob } from '@phaseline/orchestration';
import { PhaseRunner } from '@phaseline/execution';
import { createQueues, type BackendConfig, type Queues } from '@phaseline/queue';
import { todosPack, workspacePack } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { CachedBlobs } from '@phaseline/workspace';
import { requireCount } from './bench-failed.js';
import { percentile } from '@phaseline/harness';
import { requireCompleted } from './require-completed.js';

/*
 * Measures how long small tenants wait beside a big one: real log, queues and tail, two workers with eight slots each, and a slow model. Ten
 * tenants submit five jobs of two phases each: without other load ("alone"), while one tenant has hundreds of jobs in the system
 * ("beside the big one"), and the same without admission ("first come"), where the order of the queue decides.
 *
 * Waited: time from the submission to the first model call, and between phases. Took: time from the submission to the end of the job.
 *
 * Options: jobs of the big tenant, duration of a model call, backend.
 */

export interface FairnessBenchOptions {
  readonly databaseUrl: string;
  readonly backend: BackendConfig;
  readonly bigJobs: number;
  readonly callMs: number;
}

export interface FairnessRow {
  readonly backend: string;
  readonly load: 'alone' | 'beside the big one' | 'first come';
  readonly jobsPerSecond: number;
  readonly waitedMeanMs: number;
  readonly waitedP95Ms: number;
  readonly waitedMaxMs: number;
  readonly tookMeanMs: number;
  readonly tookMaxMs: number;
}

const WORKERS = 2;
const CONCURRENCY_PER_WORKER = 8;
/** Phases per job, with one step each. */
const PHASES_PER_JOB = 2;

const workflow = workflowSchema.parse({
  name: 'fairness',
  version: 1,
  start: 'work',
  states: {
    work: state('Work', { to: 'check' }),
    check: state('Check', { end: 'completed' }),
  },
});

function state(title: string, done: object): object {
  return { kind: 'tactical', title, todos: ['Do it'], finish: 'done', outcomes: { done } };
}

/** Measures the three loads, one after the other. */
export async function measureFairness(options: FairnessBenchOptions): Promise<FairnessRow[]> {
  const rows: FairnessRow[] = [];
  for (const load of ['alone', 'beside the big one', 'first come'] as const)
    rows.push({ backend: options.backend.backend, load, ...(await measure(options, load)) });
  return rows;
}

interface JobClock {
  readonly tenant: string;
  readonly submittedAt: number;
  workingMs: number;
  endedAt: number | undefined;
}

async function measure(
  { databaseUrl, backend, bigJobs, callMs }: FairnessBenchOptions,
  load: FairnessRow['load'],
): Promise<Omit<FairnessRow, 'backend' | 'load'>> {
  const pool = createPool(databaseUrl, { max: 16, applicationName: 'bench' });
  const backendConfig: BackendConfig =
    backend.backend === 'redis' ? { ...backend, prefix: `{bench-${randomUUID()}}` } : backend;
  const connect = (): Promise<Queues> =>
    createQueues(backendConfig, { onDeadLetter: async () => undefined, onError: (error) => console.error(error) });
  const queues = await Promise.all(Array.from({ length: WORKERS + 1 }, connect));
  await pool.query('DELETE FROM phaseline.slots');
  const clocks = new Map<string, JobClock>();
  const store = new EventStore(pool);
  const repository = new JobRepository(store);
  const driver = new JobDriver({
    processId: 'bench',
    store,
    repository,
    sender: queues[0]!,
    leases: { isLeaseHeld: async () => true, isCallHeld: async () => true },
    clock: { now: () => new Date() },
    ...(load === 'first come'
      ? {}
      : { admission: new PostgresAdmission(pool, { settings: { window: WORKERS * CONCURRENCY_PER_WORKER } }) }),
  });
  const tail = new Subscription(pool, {
    name: `bench-${randomUUID()}`,
    replicaId: randomUUID(),
    types: ['JobSubmitted', 'JobCompleted', 'JobFailed', ...phaseEndTypes],
    pollMs: 20,
    handle: async (events) => {
      for (const { type, correlationId } of events) {
        const clock = clocks.get(correlationId);
        if (!clock) continue;
        if (type === 'JobCompleted' || type === 'JobFailed') clock.endedAt = performance.now();
        else await driver.advance(correlationId);
      }
    },
    onError: (error) => console.error(error),
  });
  try {
    const submit = async (tenant: string): Promise<void> => {
      const submittedAt = performance.now();
      const jobId = await submitBenchJob(store, repository, tenant);
      clocks.set(jobId, { tenant, submittedAt, workingMs: 0, endedAt: undefined });
      await driver.advance(jobId);
    };
    if (load !== 'alone') await Promise.all(Array.from({ length: bigJobs }, () => submit('big')));
    const began = performance.now();
    for (const worker of queues.slice(1)) await startWorker(worker, store, clocks, callMs);
    await tail.start();
    // Wait until the workers are busy with the big tenant, at different steps of its phases.
    if (load !== 'alone') await sleep(3 * callMs);
    await Promise.all(Array.from({ length: 50 }, (_, job) => submit(`small-${job % 10}`)));
    while ([...clocks.values()].some(({ endedAt }) => endedAt === undefined)) await sleep(20);
    const elapsedMs = performance.now() - began;
    const { steps } = await requireCompleted(pool, [...clocks.keys()]);
    requireCount('phases of one step', steps, clocks.size * PHASES_PER_JOB);
    return computeFigures([...clocks.values()], elapsedMs);
  } finally {
    await tail.close();
    await Promise.all(queues.map((one) => one.close(5_000)));
    await pool.end();
  }
}

function computeFigures(clocks: readonly JobClock[], elapsedMs: number): Omit<FairnessRow, 'backend' | 'load'> {
  const small = clocks.filter(({ tenant }) => tenant !== 'big');
  const took = small.map(({ submittedAt, endedAt }) => endedAt! - submittedAt);
  const waited = small.map(({ workingMs }, index) => took[index]! - workingMs);
  const mean = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length;
  return {
    jobsPerSecond: (clocks.length * 1_000) / elapsedMs,
    waitedMeanMs: mean(waited),
    waitedP95Ms: percentile(waited, 0.95),
    waitedMaxMs: percentile(waited, 1),
    tookMeanMs: mean(took),
    tookMaxMs: Math.max(...took),
  };
}

/** Starts a worker whose model calls take between 0.5 and 1.5 times `callMs`. */
async function startWorker(
  queues: Queues,
  store: EventStore,
  clocks: Map<string, JobClock>,
  callMs: number,
): Promise<void> {
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'slow',
    contextTokens: 1_000_000,
    maxOutputTokens: 1_000,
  });
  const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, estimated: false };
  const slow = createInstantModel(async () => {
    await sleep(callMs * (0.5 + Math.random()));
    return { calls: [{ name: 'todo_complete', arguments: {} }], usage };
  });
  const runner = new PhaseRunner({
    processId: `bench-${randomUUID()}`,
    repository: new JobRepository(store),
    blobs: new CachedBlobs(store.blobs),
    tools: new ToolRegistry([workspacePack, todosPack]),
    sender: queues,
    leases: { isLeaseHeld: async () => true },
    heldLeases: { addLease: () => undefined, removeLease: () => undefined },
    models: { find: () => ({ profile, model: slow, contextTokens: 1_000_000 }) },
    clock: { now: () => new Date() },
  });
  const handle = async (payload: { jobId: JobId; phase: number }, signal: AbortSignal): Promise<void> => {
    const began = performance.now();
    await runner.run(payload, signal);
    const clock = clocks.get(payload.jobId);
    if (clock) clock.workingMs += performance.now() - began;
  };
  await queues.work('tactical', (payload, { signal }) => handle(payload, signal), {
    concurrency: CONCURRENCY_PER_WORKER,
  });
}

async function submitBenchJob(store: EventStore, repository: JobRepository, tenant: string): Promise<string> {
  const definition = agentDefinitionSchema.parse({ name: 'bench', displayName: 'Bench', tools: {} });
  const hash = '0'.repeat(64);
  const agents = {
    resolve: () => ({ definition, hash, instructions: 'Do it.', workflow, workflowHash: hash }),
  };
  const clock = { now: () => new Date() };
  const { jobId } = await submitJob(
    { store, repository, agents, clock },
    { agent: 'bench', tenant },
    { actor: { id: 'bench', kind: 'process' } },
  );
  return jobId;
}
