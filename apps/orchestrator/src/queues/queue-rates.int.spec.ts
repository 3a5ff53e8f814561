import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient, type QueueDepth, type QueueDepths } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { Queues } from '@phaseline/queue';
import { serviceTokens } from '@phaseline/service';
import { getTestRedisUrl } from '@phaseline/testing';
import type pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { QueueReader } from './queue-reader.js';

const redisUrl = getTestRedisUrl();
/** Each orchestrator has queues of its own. */
const backends = [
  { backend: 'postgres', createEnv: () => ({ PHASELINE_QUEUE_BACKEND: 'postgres' }) },
  ...(redisUrl
    ? [
        {
          backend: 'redis',
          createEnv: () => ({
            PHASELINE_QUEUE_BACKEND: 'redis',
            REDIS_URL: redisUrl,
            PHASELINE_REDIS_PREFIX: `{rates-${randomUUID()}}`,
          }),
        },
      ]
    : []),
];

/** Processes without work report their counts at this interval, so figures of queues may be this old. */
const SAMPLING_MS = 3_000;

interface LoggedEvent {
  readonly type: string;
  readonly job_id: JobId;
  readonly stream_id: string;
  readonly phase: number | null;
  readonly at: number;
}

/** Reads the events up to a time, without the read models. */
async function readLog(pool: pg.Pool, until: string): Promise<readonly LoggedEvent[]> {
  const { rows } = await pool.query<LoggedEvent>(
    `SELECT type, correlation_id AS job_id, stream_id, (data ->> 'phase')::int AS phase, extract(epoch FROM recorded_at)::float8 * 1000 AS at
     FROM phaseline.events WHERE recorded_at <= $1 ORDER BY position`,
    [until],
  );
  return rows;
}

/** Computes from the log when each phase was dispatched and when it ended, in its own stream or in that of its job. */
function listPhases(events: readonly LoggedEvent[]) {
  return events
    .filter(({ type }) => type === 'PhaseDispatched')
    .map(({ job_id: jobId, phase, at }) => ({
      jobId,
      at,
      endedAt: events.find(
        (event) =>
          (event.type === 'PhaseCompleted' && event.stream_id === `phase-${jobId}-${phase}`) ||
          (event.type === 'PhaseEnded' && event.job_id === jobId && event.phase === phase),
      )?.at,
    }));
}

/** Computes the counts of the window of a response from the log. */
async function countInLog(pool: pg.Pool, { measuredAt, windowSeconds }: QueueDepths) {
  const from = Date.parse(measuredAt) - windowSeconds * 1_000;
  const events = await readLog(pool, measuredAt);
  const phases = listPhases(events);
  const countSince = (times: readonly (number | undefined)[]): number =>
    times.filter((at) => at !== undefined && at >= from).length;
  const countType = (wanted: string): number =>
    countSince(events.filter(({ type }) => type === wanted).map(({ at }) => at));
  return {
    submitted: countType('JobSubmitted'),
    fired: countType('TimerFired'),
    dispatched: countSince(phases.map(({ at }) => at)),
    ended: countSince(phases.map(({ endedAt }) => endedAt)),
  };
}

const findQueue = ({ queues }: QueueDepths, name: string): QueueDepth => queues.find(({ queue }) => queue === name)!;

/** Reads the counts behind the rates of a response. */
function countInResponse(depths: QueueDepths) {
  const toCount = (perMinute: number): number => Math.round((perMinute * depths.windowSeconds * 1_000) / 60) / 1_000;
  const countOf = (name: string) => {
    const { arrivalsPerMinute, completionsPerMinute } = findQueue(depths, name);
    return { arrived: toCount(arrivalsPerMinute), completed: toCount(completionsPerMinute) };
  };
  return Object.fromEntries(['jobs', 'strategic', 'timers', 'repositories'].map((name) => [name, countOf(name)]));
}

/** Works on the queue `strategic` as a worker would: ends the jobs of the first messages, then holds one message. */
async function workOn(orchestrator: OrchestratorForSpecs, ended: number): Promise<{ taken: JobId[]; finish(): void }> {
  const taken: JobId[] = [];
  const gate = Promise.withResolvers<void>();
  const handle = async ({ jobId, phase }: { readonly jobId: JobId; readonly phase: number }): Promise<void> => {
    taken.push(jobId);
    if (taken.length > ended) return gate.promise;
    await orchestrator.inPhase(jobId, phase, [phaseEvents.answered(1), phaseEvents.completed()]);
  };
  await orchestrator.get(Queues).work('strategic', handle, { concurrency: 1 });
  return { taken, finish: gate.resolve };
}

/** Changes the log and the read model as if all phases had been dispatched ten minutes earlier. */
async function moveDispatchesBack(owner: pg.Pool): Promise<void> {
  await owner.query(`
    ALTER TABLE phaseline.events DISABLE TRIGGER events_are_append_only;
    UPDATE phaseline.events SET recorded_at = recorded_at - interval '10 minutes' WHERE type = 'PhaseDispatched';
    ALTER TABLE phaseline.events ENABLE ALWAYS TRIGGER events_are_append_only;
    INSERT INTO phaseline.queue_depth (job_id, queue, minute, due, done)
      SELECT job_id, queue, minute - interval '10 minutes', due, 0 FROM phaseline.queue_depth;
    UPDATE phaseline.queue_depth SET due = 0 WHERE minute > now() - interval '8 minutes';`);
}

describe.each(backends)('the rates of queues on $backend', ({ createEnv }) => {
  it('equal those that the log shows, as do the ages', { timeout: 60_000 }, async () => {
    const orchestrator = await startOrchestrator(createEnv());
    onTestFinished(async () => void (await orchestrator.stop()));
    const pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
    onTestFinished(() => pool.end());
    const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
    expect(findQueue(await client.queues(), 'strategic')).toMatchObject({ arrivalsPerMinute: 0, isGrowing: false });

    const queues = orchestrator.get(Queues);
    for (let job = 0; job < 7; job += 1) await queues.send('jobs', { agent: 'writer' });
    const countWaiting = async () => findQueue(await client.queues(), 'strategic').waiting;
    await expect.poll(countWaiting, { timeout: 20_000 }).toBe(7);
    // The last one in the queue: its timer ends it while its message waits.
    await queues.send('jobs', { agent: 'writer', budgets: { maxWallTimeMs: 500 } });
    await expect.poll(countWaiting, { timeout: 20_000 }).toBe(8);
    // Without a tool-runner nothing takes it.
    await queues.send('repositories', { jobId: randomUUID(), work: 'import' });
    const worker = await workOn(orchestrator, 3);
    onTestFinished(() => worker.finish());
    await expect.poll(() => worker.taken.length, { timeout: 20_000 }).toBe(4);
    await sleep(SAMPLING_MS + 500);

    const compare = async () => {
      const depths = await client.queues();
      const { submitted, fired, dispatched, ended } = await countInLog(pool, depths);
      const fromLog = {
        jobs: { arrived: submitted, completed: submitted },
        strategic: { arrived: dispatched, completed: ended },
        timers: { arrived: fired, completed: fired },
        // Its message has led to no event yet.
        repositories: { arrived: 1, completed: 0 },
      };
      return { depths, fromLog, fromApi: countInResponse(depths) };
    };
    await expect
      .poll(
        async () => (({ fromLog, fromApi }) => JSON.stringify(fromLog) === JSON.stringify(fromApi))(await compare()),
        {
          timeout: 4 * SAMPLING_MS,
        },
      )
      .toBe(true);
    const { depths, fromApi } = await compare();
    expect(fromApi).toEqual({
      jobs: { arrived: 8, completed: 8 },
      strategic: { arrived: 8, completed: 4 },
      timers: { arrived: 1, completed: 1 },
      repositories: { arrived: 1, completed: 0 },
    });
    expect(depths.windowSeconds).toBeGreaterThanOrEqual(240);
    expect(depths.windowSeconds).toBeLessThanOrEqual(300);

    // Eight arrived, four ended, and the rest waits or is held by the worker.
    const strategic = findQueue(depths, 'strategic');
    expect(strategic).toMatchObject({ waiting: 4, active: 1, isGrowing: true });
    expect(strategic).not.toHaveProperty('drainSeconds');
    const waitingSince = listPhases(await readLog(pool, depths.measuredAt))
      .filter(({ jobId }) => !worker.taken.includes(jobId))
      .map(({ at }) => at);
    const ageInLog = Date.parse(depths.measuredAt) - Math.min(...waitingSince);
    expect(ageInLog).toBeGreaterThan(SAMPLING_MS);
    expect(Math.abs(strategic.longestWaitMs! - ageInLog)).toBeLessThan(SAMPLING_MS);
    expect(findQueue(depths, 'repositories')).toMatchObject({ waiting: 1, completionsPerMinute: 0, isGrowing: true });
    for (const name of ['jobs', 'timers'])
      expect(findQueue(depths, name)).toMatchObject({ waiting: 0, isGrowing: false });
  });

  it('show when a queue drains, as the log does', async () => {
    const orchestrator = await startOrchestrator(createEnv());
    onTestFinished(async () => void (await orchestrator.stop()));
    const pool = createPool(orchestrator.databaseUrls.owner, { max: 2 });
    onTestFinished(() => pool.end());
    const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
    for (let job = 0; job < 9; job += 1) await client.submit({ agent: 'writer' });
    const read = async () => findQueue(await client.queues(), 'strategic');
    await expect.poll(async () => (await read()).waiting, { timeout: 20_000 }).toBe(9);
    const worker = await workOn(orchestrator, 3);
    onTestFinished(() => worker.finish());
    await expect.poll(() => worker.taken.length, { timeout: 20_000 }).toBe(4);
    await expect.poll(read).toMatchObject({ waiting: 5, isGrowing: true });
    // What the read model does not contain yet could not be moved back.
    await expect
      .poll(async () => countInResponse(await client.queues())['strategic'])
      .toEqual({ arrived: 9, completed: 3 });
    await moveDispatchesBack(pool);

    const depths = await client.queues();
    const { dispatched, ended } = await countInLog(pool, depths);
    expect({ dispatched, ended }).toEqual({ dispatched: 0, ended: 3 });
    expect(findQueue(depths, 'strategic')).toMatchObject({
      ...{ waiting: 5, arrivalsPerMinute: 0, isGrowing: false },
      // Five at three per window.
      drainSeconds: Math.ceil((5 * depths.windowSeconds) / 3),
    });
  });

  it('are read with a fixed number of statements', async () => {
    const orchestrator = await startOrchestrator(createEnv());
    onTestFinished(async () => void (await orchestrator.stop()));
    const requests = new AsyncLocalStorage<{ statements: number }>();
    const pool = orchestrator.get<pg.Pool>(serviceTokens.pool);
    const connect = pool.connect.bind(pool) as (...args: readonly unknown[]) => unknown;
    const countConnections = (...args: readonly unknown[]): unknown => {
      const request = requests.getStore();
      if (request) request.statements += 1;
      return connect(...args);
    };
    // Its overloads are with and without a callback.
    pool.connect = countConnections as typeof pool.connect;
    const count = { statements: 0 };
    await requests.run(count, () => orchestrator.get(QueueReader).read());
    // Dead letters, the read model and the processes; the queues have their own connections.
    expect(count.statements).toBe(3);
  });
});
