import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findClaimLosses } from '@phaseline/chaos';
import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool, EventStore, type RecordedEvent } from '@phaseline/event-store';
import { openLocalHome } from '@phaseline/local-stack';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyLog } from '../../apps/cli/src/audit/verify-log.js';
import {
  makeExampleRepository,
  type ExampleRepository,
} from '../../apps/cli/src/demo/feature-loop/example-repository.js';
import { readFeatureOutcomes } from '../../apps/cli/src/demo/feature-loop/feature-outcomes.js';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { chooseMoments, KILLED_SERVICES, ServiceKiller } from './service-killer.fixture.js';

/**
 * The shipped workflow `feature-loop` on its example, once undisturbed, and once while every service is killed several times at random: during
 * verifiers, judges, commands, model calls and handoffs. Both must end in the same way.
 */
const signal = new AbortController().signal;
/** Repeats the kills of a run that failed, as far as the machine allows. */
const seed = Number(process.env['PHASELINE_KILL_SEED'] ?? Math.floor(Math.random() * 1e9));

let folder: string;
let stack: RunningStack;
let client: PhaselineClient;
let pool: pg.Pool;
let example: ExampleRepository;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-loop-kills-'));
  const { PATH, HOME } = process.env;
  const directory = join(folder, 'home');
  example = await makeExampleRepository(directory, signal);
  const env = {
    PATH,
    HOME,
    PHASELINE_HOME: directory,
    PHASELINE_REPOSITORY_ROOTS: example.root,
    // Long enough for kills to hit a model call.
    PHASELINE_REHEARSAL_LATENCY_MS: '100',
  };
  stack = await startStack({
    home: await openLocalHome(env, folder),
    plan: planStack(env, { queueBackend: 'postgres' }),
    env,
    signal,
  });
  client = new PhaselineClient({ baseUrl: stack.apiUrl, retries: 40 });
  pool = createPool(stack.databaseUrl, { max: 2, applicationName: 'spec' });
}, 240_000);

afterAll(async () => {
  await pool?.end();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
}, 90_000);

const submit = async (): Promise<JobId> => {
  const { path, task } = example;
  return (await client.submit({ agent: 'feature-lead', instructions: task, repository: { path } })).jobId;
};

it('ends as an undisturbed loop does', { timeout: 2_400_000 }, async () => {
  const log = new EventStore(pool);
  const undisturbed = await submit();
  await client.wait(undisturbed, { timeoutMs: 600_000 });
  const expected = await describeLoop(undisturbed);
  expect(expected.end).toBe('blocked (features_blocked)');
  expect(expected.features).toMatchObject([
    { id: 'complete-todo', status: 'tested', attempts: 0 },
    { id: 'search-todos', status: 'tested', attempts: 1 },
    { id: 'due-dates', status: 'blocked', attempts: 2 },
  ]);

  const killer = new ServiceKiller(stack, chooseMoments(await log.readCorrelation(undisturbed)), seed);
  const jobId = await submit();
  const killing = killer.follow(log, jobId);
  const waited = client.wait(jobId, { timeoutMs: 1_500_000 });
  await Promise.race([waited, killing, stack.failed.then((error) => Promise.reject(error))]).finally(() =>
    killer.stop(),
  );
  await waited;
  const context = `PHASELINE_KILL_SEED=${seed}\n${killer.lines.join('\n')}`;
  // Without these the run would have proven nothing.
  for (const service of KILLED_SERVICES) expect(killer.count(service), context).toBeGreaterThanOrEqual(3);
  expect(killer.missed, context).toEqual([]);

  const found = await log.readCorrelation(jobId);
  expect(await describeLoop(jobId), context).toEqual(expected);
  expect([...findClaimLosses(found), ...findDoubled(found)], context).toEqual([]);
  expect(
    found.some(({ type }) => type === 'PhaseTakenOver'),
    context,
  ).toBe(true);
  const audit = await verifyLog(stack.databaseUrl, { signal, withClaims: true });
  expect(audit, context).toMatchObject({ passed: true, problems: [] });
  expect(audit.derivedClaims, context).toBe(audit.claims);
  await expect.poll(() => stack.services().filter(({ isReady }) => !isReady), { timeout: 120_000 }).toEqual([]);
});

/** What must not depend on kills: how the loop ended, the way to it, and all files but those that name times and events. */
async function describeLoop(jobId: JobId) {
  const [job, features, phases, files] = await Promise.all([
    client.get(jobId),
    readFeatureOutcomes(client, jobId, signal),
    client.phases(jobId),
    client.files(jobId),
  ]);
  const { output } = await client.repository.requestPatch(jobId);
  const readStatus = async () => (await client.repository.get(jobId)).outputs.find((one) => one.output === output);
  await expect.poll(async () => (await readStatus())?.status, { timeout: 120_000 }).toBe('made');
  const patch = new TextDecoder().decode(await client.repository.readPatch(jobId)).replaceAll(jobId, 'JOB');
  return {
    end: job.failure ? `${job.status} (${job.failure.code})` : job.status,
    features,
    phases: phases.map(({ phase, state, status, outcome }) => ({ phase, state, status, outcome })),
    files: Object.fromEntries(
      files
        .filter(({ path }) => !path.includes('.git/'))
        .map(({ path, hash }) => [path, NAMES_TIMES.test(path) ? 'exists' : hash]),
    ),
    // Without the names and dates of the commits, which differ in each run.
    patch: patch.split('\n').filter((line) => !/^(?:From [0-9a-f]{40} |Date: )/.test(line)),
  };
}

/** Files in which the system notes times, costs and events, so that they differ between two undisturbed runs. */
const NAMES_TIMES = /^(?:feature-list\.json|session-state\.json|workspace\.md|archive\/phase_\d+\.md)$/;

/** Finds facts that are in the log more than once and may be there only once. */
function findDoubled(events: readonly RecordedEvent[]): readonly string[] {
  const seen = new Map<string, number>();
  for (const { type, streamId, data } of events) {
    const id = ONCE[type]?.(data);
    if (id === undefined) continue;
    const key = `${streamId} ${id}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return [...seen].filter(([, times]) => times > 1).map(([fact, times]) => `${fact}: ${times} times`);
}

/** The events that may occur once for what they name, in one stream. */
const ONCE: Readonly<Record<string, (data: RecordedEvent['data']) => string>> = {
  JobSubmitted: () => 'submitted',
  RepositoryImported: () => 'imported',
  PhaseStarted: () => 'started',
  PhaseDispatched: ({ phase }) => `dispatched ${String(phase)}`,
  PhaseEnded: ({ phase }) => `ended ${String(phase)}`,
  PhaseCompleted: () => 'completed',
  HandoffIssued: ({ handoff }) => `issued ${String(handoff)}`,
  HandoffAccepted: ({ handoff }) => `accepted ${String(handoff)}`,
  HandoffCompleted: ({ handoff }) => `completed ${String(handoff)}`,
  ToolCallRequested: ({ callId }) => `requested ${String(callId)}`,
  ToolCallStarted: ({ callId }) => `begun ${String(callId)}`,
  ToolCallCompleted: ({ callId }) => `end of ${String(callId)}`,
  ToolCallFailed: ({ callId }) => `end of ${String(callId)}`,
};
