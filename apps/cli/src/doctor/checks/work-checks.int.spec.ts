import { randomUUID } from 'node:crypto';
import { jobStream, phaseStream, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import { buildModelCallStarted } from '@phaseline/domain/testing';
import { createPool, EventStore } from '@phaseline/event-store';
import { ProcessRegistry } from '@phaseline/cluster';
import { buildJobAppend, buildPhaseAppend } from '@phaseline/repository';
import { createQueues, type Queues } from '@phaseline/queue';
import { createTestDatabase, getTestRedisUrl, type TestDatabase } from '@phaseline/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  modelResponded,
  phaseStarted as examplePhase,
  toolCallRequested,
  jobSubmitted as exampleJob,
} from '../../testing/example-job.js';
import type { Check } from '../check.js';
import type { Limits } from '../limits.js';
import { closeAll, runCheck, openTestTarget } from '../testing/doctor-target.fixture.js';
import { missingMessages } from './missing-messages.js';
import { orphanedMessages } from './orphaned-messages.js';
import { queues as queuesCheck } from './queues.js';
import { openJobs } from './open-jobs.js';

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
let store: EventStore;
let jobId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.ownerUrl, { max: 4 });
  store = new EventStore(pool);
});
beforeEach(() => {
  jobId = randomUUID();
});
afterEach(async () => {
  await closeAll();
  // The next test must not find what this one leaves open.
  await pool.query('UPDATE phaseline.streams SET closed = true; TRUNCATE phaseline.processes');
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

const origin = { actor: { id: 'spec', kind: 'process' } } as const;
const submitted = (): JobEvent => {
  const event = exampleJob() as Extract<JobEvent, { type: 'JobSubmitted' }>;
  return { ...event, data: { ...event.data, jobId } };
};
const dispatched: JobEvent = {
  type: 'PhaseDispatched',
  data: { phase: 1, attempt: 1, state: 'plan', kind: 'tactical', name: 'Extract', todos: [], allowance: {} },
};
const phaseStarted = (): PhaseEvent => {
  const event = examplePhase(1, 'tactical', 'Extract', ['read']) as Extract<PhaseEvent, { type: 'PhaseStarted' }>;
  return { ...event, data: { ...event.data, identity: { ...event.data.identity, jobId } } };
};

/** Writes a job and its first phase, last updated `agoMs` ago. */
async function write(job: readonly JobEvent[], phase: readonly PhaseEvent[] = [], agoMs = 60_000): Promise<void> {
  await store.append(buildJobAppend(jobId, 0, job, origin));
  if (phase.length > 0) await store.append(buildPhaseAppend(jobId, 1, 0, phase, { origin }));
  await pool.query(
    `UPDATE phaseline.streams SET updated_at = now() - $1::float8 * interval '1 millisecond' WHERE correlation_id = $2`,
    [agoMs, jobId],
  );
}

const run = async (check: Check, env: NodeJS.ProcessEnv = {}, limits: Partial<Limits> = {}) =>
  runCheck(await openTestTarget({ DATABASE_URL: database.serviceUrl, ...env }, limits), check);

const redisUrl = getTestRedisUrl();
const prefix = `{spec-${process.pid}-${randomUUID()}}`;
describe.each([
  ['postgres', {}],
  ...(redisUrl === undefined
    ? []
    : [['redis', { PHASELINE_QUEUE_BACKEND: 'redis', REDIS_URL: redisUrl, PHASELINE_REDIS_PREFIX: prefix }] as const]),
] as const)('queues on %s', (backend, env: NodeJS.ProcessEnv) => {
  let queues: Queues;
  beforeAll(async () => {
    queues = await createQueues(
      backend === 'redis'
        ? { backend: 'redis', url: redisUrl!, prefix }
        : { backend: 'postgres', connectionString: database.serviceUrl },
      { onDeadLetter: async () => {}, onError: () => {} },
    );
  });
  afterEach(async () => {
    for (const queue of ['tactical', 'tools'] as const)
      for (const { messageId } of await queues.listMessages(queue)) await queues.discard(queue, messageId);
  });
  afterAll(() => queues.close(5_000));

  const send = (payload: { phase: number; epoch: number }, id: string) =>
    queues.send('tactical', { jobId, version: 1, ...payload }, { id });

  it('queues: reports waiting messages if no consumer runs, or too few', async () => {
    expect(await run(queuesCheck, env)).toMatchObject([{ level: 'ok' }]);
    await send({ phase: 1, epoch: 0 }, 'm1');
    await expect
      .poll(() => run(queuesCheck, env, { messageAgeMs: 1 }), { timeout: 10_000 })
      .toMatchObject([
        { level: 'fail', text: expect.stringMatching(/1 message waiting on tactical.*no tactical-worker is running/) },
      ]);
    const registry = new ProcessRegistry(pool);
    await registry.heartbeat('w', 'tactical-worker');
    expect(await run(queuesCheck, env, { messageAgeMs: 1 })).toMatchObject([
      { level: 'warn', text: expect.stringContaining('tactical-worker does not keep up') },
    ]);
    await registry.close();
  });

  it('missing-messages: reports due work that is on no queue; --fix sends it', async () => {
    await write([submitted(), dispatched], [phaseStarted()]);
    const [finding] = await run(missingMessages, env);
    expect(finding).toMatchObject({
      level: 'fail',
      text: expect.stringMatching(new RegExp(`1 message due .*${jobId}-1-v1-e0`)),
    });
    expect(await finding!.fix!()).toBe('sent 1 message');
    expect(await run(missingMessages, env)).toMatchObject([{ level: 'ok' }]);
    expect(await queues.has('tactical', `${jobId}-1-v1-e0`)).toBe(true);
  });

  it('missing-messages: checks each tool call, and leaves recent work to the reconciler', async () => {
    const calls = [
      { callId: 'c1', name: 'fetch' },
      { callId: 'c2', name: 'fetch' },
    ];
    await write(
      [submitted(), dispatched],
      [
        phaseStarted(),
        buildModelCallStarted(1),
        modelResponded(1, calls),
        toolCallRequested('c1', 'fetch', {}),
        toolCallRequested('c2', 'fetch', {}),
      ],
    );
    await queues.send('tools', { jobId, phase: 1, callId: 'c1', epoch: 0 }, { id: `${jobId}-1-c1-e0` });
    expect(await run(missingMessages, env)).toMatchObject([
      { level: 'fail', text: expect.stringMatching(new RegExp(`1 message due .*: ${jobId}-1-c2-e0$`)) },
    ]);
    expect(await run(missingMessages, env, { reconcilerGraceMs: 3_600_000 })).toMatchObject([{ level: 'ok' }]);
  });

  it('orphaned-messages: reports messages of an ended and of an unknown phase; --fix removes them', async () => {
    const end: PhaseEvent = { type: 'PhaseFailed', data: { code: 'stopped_early', message: 'm', retryable: true } };
    await write([submitted(), dispatched], [phaseStarted(), end]);
    await send({ phase: 1, epoch: 0 }, 'ended');
    await send({ phase: 7, epoch: 0 }, 'never');
    const limits: Partial<Limits> = { reconcilerGraceMs: -1_000 };
    const [finding] = await run(orphanedMessages, env, limits);
    expect(finding).toMatchObject({
      level: 'warn',
      text: expect.stringMatching(/^2 messages refer to work that has ended/),
    });
    expect(await finding!.fix!()).toBe('removed 2 messages');
    expect(await run(orphanedMessages, env, limits)).toMatchObject([{ level: 'ok' }]);
  });

  it('orphaned-messages: ignores a message that is due', async () => {
    await write([submitted(), dispatched], [phaseStarted()]);
    await send({ phase: 1, epoch: 0 }, 'due');
    expect(await run(orphanedMessages, env, { reconcilerGraceMs: -1_000 })).toMatchObject([{ level: 'ok' }]);
  });
});

describe('jobs', () => {
  it('passes and counts what open jobs wait for', async () => {
    await write([submitted(), dispatched], [phaseStarted()]);
    expect(await run(openJobs)).toMatchObject([{ level: 'ok', text: '1 open job, waiting for: 1 message' }]);
  });

  it('reports a decision that is overdue', async () => {
    await write([submitted()]);
    expect(await run(openJobs)).toMatchObject([
      {
        level: 'fail',
        text: `job ${jobId} waits for the orchestrator to dispatch its first phase, but this does not happen`,
      },
    ]);
    expect(await run(openJobs, {}, { reconcilerGraceMs: 3_600_000 })).toMatchObject([{ level: 'ok' }]);
  });

  it('does not report a job that waits for a slot of its tenant', async () => {
    await write([submitted()]);
    await pool.query(
      `INSERT INTO phaseline.slots (job_id, phase, kind, tenant, priority, queued_at, requested_at)
       VALUES ($1, 1, 'strategic', 'default', 0, now(), now())`,
      [jobId],
    );
    expect(await run(openJobs)).toMatchObject([{ level: 'ok', text: '1 open job, waiting for: 1 slot' }]);
    await pool.query('TRUNCATE phaseline.slots');
  });

  it('reports a lease whose owner has died, but not one whose owner is alive', async () => {
    await write([submitted(), dispatched], [phaseStarted(), buildModelCallStarted(1)]);
    expect(await run(openJobs)).toMatchObject([
      { level: 'fail', text: expect.stringMatching(/requested by worker; that process has died/) },
    ]);
    const registry = new ProcessRegistry(pool);
    registry.addLease(phaseStream(jobId, 1));
    await registry.heartbeat('worker', 'tactical-worker');
    expect(await run(openJobs)).toMatchObject([{ level: 'ok' }]);
    await registry.close();
  });

  it('reports a timer that is overdue', async () => {
    const failed: JobEvent = {
      type: 'PhaseEnded',
      data: {
        phase: 1,
        result: { kind: 'failed', failure: { code: 'model_failed', message: 'away' }, retryable: true },
        spending: { steps: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
      },
    };
    const dueAt = new Date(Date.now() - 3_600_000).toISOString();
    await write([
      submitted(),
      dispatched,
      failed,
      { type: 'TimerSet', data: { timer: 'backoff', kind: 'backoff', dueAt } },
    ]);
    expect(await run(openJobs)).toMatchObject([
      { level: 'fail', text: expect.stringMatching(/waits for the pause before the next attempt.*which has passed/) },
    ]);
  });

  it('reports a job that cannot be read', async () => {
    await write([submitted()]);
    await store.append({
      streamId: jobStream(jobId),
      correlationId: jobId,
      expectedVersion: 1,
      events: [{ eventId: randomUUID(), type: 'JobTeleported', schemaVersion: 1, data: {}, metadata: {} }],
    });
    expect(await run(openJobs)).toMatchObject([
      { level: 'fail', text: expect.stringMatching(new RegExp(`^1 job cannot be read: ${jobId} .*JobTeleported`)) },
    ]);
  });
});
