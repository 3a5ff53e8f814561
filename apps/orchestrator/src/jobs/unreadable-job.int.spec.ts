import { randomUUID } from 'node:crypto';
import { PhaselineClient, type JobSummary } from '@phaseline/client';
import { jobStream, phaseStream } from '@phaseline/domain';
import { createPool, EventStore, UnreadableAppend } from '@phaseline/event-store';
import { checkReadModels, rebuildReadModels } from '@phaseline/projections';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phaseEvents, post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: pg.Pool;
/** A store that does not check what it appends, unlike those of the services. */
let unchecked: EventStore;

beforeAll(async () => {
  orchestrator = await startOrchestrator({
    PHASELINE_MAX_PHASES_PER_TENANT: '1',
    PHASELINE_RECONCILE_INTERVAL_MS: '500',
  });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createPool(orchestrator.databaseUrls.service, { max: 4 });
  unchecked = new EventStore(pool);
});
afterAll(async () => {
  await pool.end();
  await orchestrator.stop();
});

/** Submits jobs and waits until their first phase has started; by default each has its own tenant. */
async function startJobs(count: number, tenant = () => `t${randomUUID().slice(0, 8)}`): Promise<string[]> {
  const jobIds: string[] = [];
  for (let job = 0; job < count; job += 1)
    jobIds.push((await client.submit({ agent: 'writer', tenant: tenant() })).jobId);
  for (const jobId of jobIds) await expect.poll(async () => (await client.get(jobId)).status).toBe('running');
  return jobIds;
}

function append(streamId: string, correlationId: string, type: string, data: object): Promise<unknown> {
  const event = {
    eventId: randomUUID(),
    type,
    schemaVersion: 1,
    data: data as never,
    metadata: { actor: { id: 'somebody', kind: 'person' } },
  };
  return unchecked.append({ streamId, correlationId, expectedVersion: 'any', events: [event] });
}

interface Responses {
  readonly description: string;
}

/** Appends an answer whose server reported 2^53 - 1 tokens. Such an answer was once recorded. */
function appendUnreadable(jobId: string): Promise<unknown> {
  const { data } = phaseEvents.answered(1);
  return append(phaseStream(jobId, 1), jobId, 'ModelResponded', { ...data, costMicroUsd: 1.3e17 });
}

async function jobList(): Promise<JobSummary[]> {
  const { status, body } = await orchestrator.json('/v1/jobs?limit=100');
  expect(status).toBe(200);
  return body['items'] as JobSummary[];
}
const listed = async (jobId: string): Promise<JobSummary | undefined> =>
  (await jobList()).find((job) => job.jobId === jobId);

describe('a job with an event that cannot be read', () => {
  it('cannot be created by a service: its store refuses the event', async () => {
    const [jobId] = await startJobs(1);
    const { data } = phaseEvents.answered(1);
    const events = [
      {
        eventId: randomUUID(),
        type: 'ModelResponded',
        schemaVersion: 1,
        metadata: {},
        data: { ...data, costMicroUsd: 1.3e17 } as never,
      },
    ];
    const streamId = phaseStream(jobId!, 1);
    const appended = orchestrator.store.append({ streamId, correlationId: jobId!, expectedVersion: 'any', events });
    await expect(appended).rejects.toThrow(UnreadableAppend);
  });

  it('delays no other job, neither in the read models nor in the orchestrator', async () => {
    const [bad, ...others] = await startJobs(12);
    await appendUnreadable(bad!);
    for (const jobId of others)
      await orchestrator.inPhase(jobId, 1, [phaseEvents.answered(1), phaseEvents.completed()]);
    for (const jobId of others) {
      await expect.poll(async () => (await client.get(jobId)).status).toBe('completed');
      // Read the row through the list, because a single job is not read from its row alone.
      await expect.poll(async () => (await listed(jobId))?.status, { timeout: 20_000 }).toBe('completed');
    }
  });

  it('is listed and shown with the reason, and its unreadable event is marked', async () => {
    const [jobId] = await startJobs(1);
    await appendUnreadable(jobId!);
    const reason = expect.stringMatching(/event \d+ of stream phase-.*costMicroUsd/);
    expect(await client.get(jobId!)).toMatchObject({ status: 'running', unreadableReason: reason });
    await expect
      .poll(() => listed(jobId!), { timeout: 20_000 })
      .toMatchObject({ status: 'running', unreadableReason: reason });
    const page = await orchestrator.json(`/v1/jobs/${jobId}/events`);
    expect(page.status).toBe(200);
    const items = page.body['items'] as { type: string; unreadableReason?: string; data: { costMicroUsd?: number } }[];
    expect(items.filter(({ unreadableReason }) => unreadableReason !== undefined)).toMatchObject([
      { type: 'ModelResponded', unreadableReason: reason, data: { costMicroUsd: 1.3e17 } },
    ]);
    const files = await orchestrator.json(`/v1/jobs/${jobId}/files`);
    expect([files.status, files.body['code']]).toEqual([409, 'job_unreadable']);
  });

  it('gets from each route only codes that the OpenAPI document names for it', async () => {
    const { body: document } = await orchestrator.json('/openapi.json');
    const paths = document['paths'] as Record<string, Record<string, { responses: Record<string, Responses> }>>;
    const [other] = await startJobs(1);
    const { position: at } = await client.get(other!);
    const bodies: Record<string, object> = {
      approve: { callId: 'call_1_1_1', argumentsHash: 'a'.repeat(64) },
      refuse: { callId: 'call_1_1_1', reason: 'no' },
      answer: { callId: 'call_1_1_1', questionHash: 'a'.repeat(64), answer: 'yes' },
      steer: { message: 'Go on.' },
      outputs: { kind: 'branch', branch: 'work' },
      hold: { reason: 'case 4711' },
    };
    const answered: string[] = [];
    const undocumented: string[] = [];
    const documented: string[] = [];
    const routes = Object.entries(paths).filter(([path]) => path.startsWith('/v1/jobs/{jobId}'));
    for (const [path, item] of routes)
      for (const [method, { responses }] of Object.entries(item)) {
        const route = `${method} ${path}`;
        const named = Object.values(responses).flatMap(({ description }) => description.match(/(?<=`)\w+(?=`)/g) ?? []);
        if (named.includes('job_unreadable')) documented.push(route);
        for (const where of ['phase', 'file', 'job']) {
          // A new job each time, because cancelling and erasing end it.
          const [bad] = await startJobs(1);
          const { position } = await client.get(bad!);
          if (where === 'phase') await appendUnreadable(bad!);
          if (where === 'file') await append(phaseStream(bad!, 1), bad!, 'FileWritten', { path: 'a.md', size: -1 });
          if (where === 'job') await append(jobStream(bad!), bad!, 'JobPaused', { actor: 7 });
          const verb = path.split('/').at(-1)!;
          const queries: Record<string, string> = {
            'get explain': '?path=none.md',
            'get diff': `?from=${at!}&to=${position! + 1_000}`,
            'delete hold': '?reason=closed',
          };
          const url = `${path.replace('{jobId}', bad!).replace('{otherJobId}', other!).replace('{path}', 'a.md')}${queries[`${method} ${verb}`] ?? ''}`;
          const request = verb === 'fork' ? { position: position! + 1_000 } : (bodies[verb] ?? {});
          const { status, body } = await orchestrator.json(
            url,
            method === 'get' ? undefined : { ...post(request), method: method.toUpperCase() },
          );
          if (status < 400) continue;
          const code = String(body['code']);
          if (code === 'job_unreadable') answered.push(route);
          if (!named.includes(code)) undocumented.push(`${route}: ${code} (${where})`);
        }
      }
    expect(undocumented).toEqual([]);
    expect([...new Set(answered)].sort()).toEqual(documented.sort());
  }, 120_000);

  it('releases its slot to another job of its tenant, and can be cancelled once', async () => {
    const [bad] = await startJobs(1, () => 'shared');
    const { jobId: next } = await client.submit({ agent: 'writer', tenant: 'shared' });
    await expect.poll(async () => (await client.get(next)).waitsFor?.kind).toBe('slot');
    await appendUnreadable(bad!);
    await expect.poll(async () => (await client.get(next)).status, { timeout: 30_000 }).toBe('running');

    expect(await client.cancel(bad!, { reason: 'it cannot be read' })).toMatchObject({
      changed: true,
      status: 'cancelled',
    });
    expect(await client.cancel(bad!, { reason: 'again' })).toMatchObject({
      changed: false,
      status: 'cancelled',
    });
    const { rows } = await pool.query(
      'SELECT stream_id, closed FROM phaseline.streams WHERE correlation_id = $1 ORDER BY stream_id',
      [bad],
    );
    expect(rows).toEqual([
      { stream_id: jobStream(bad!), closed: true },
      { stream_id: phaseStream(bad!, 1), closed: true },
    ]);
    await expect.poll(async () => (await listed(bad!))?.status, { timeout: 20_000 }).toBe('cancelled');
    const paused = await orchestrator.json(`/v1/jobs/${bad}/pause`, post({}));
    expect([paused.status, paused.body['code']]).toEqual([409, 'request_refused']);
  });

  it('releases its slot immediately when it is cancelled', async () => {
    const [bad] = await startJobs(1, () => 'quick');
    await appendUnreadable(bad!);
    await client.cancel(bad!);
    const { jobId } = await client.submit({ agent: 'writer', tenant: 'quick' });
    await expect.poll(async () => (await client.get(jobId)).status).toBe('running');
  });

  it('can be forked from before that event', async () => {
    const [bad] = await startJobs(1);
    const { position } = await client.get(bad!);
    await appendUnreadable(bad!);
    const { jobId } = await client.fork(bad!, { position: position! });
    await expect.poll(async () => (await client.get(jobId)).status).toBe('running');
    expect((await client.get(jobId)).unreadableReason).toBeUndefined();
  });

  it('is unchanged by a rebuild of the read models, and passes their check', async () => {
    const [bad, other] = await startJobs(2);
    await appendUnreadable(bad!);
    // One event has an invalid member that lists do not read, the other a value that does not fit its column.
    await append(phaseStream(other!, 1), other!, 'ModelResponded', { ...phaseEvents.answered(1).data, end: 'never' });
    await append(phaseStream(other!, 1), other!, 'ToolCallDenied', {
      callId: 'c',
      step: 3_000_000_000,
      name: 'x',
      code: 'unknown_tool',
      message: '',
    });
    await expect.poll(async () => (await listed(other!))?.unreadableReason, { timeout: 20_000 }).toContain('end:');
    await expect
      .poll(async () => (await listed(bad!))?.unreadableReason, { timeout: 20_000 })
      .toContain('costMicroUsd');
    const before = [await listed(bad!), await listed(other!)];
    await rebuildReadModels(pool);
    expect([await listed(bad!), await listed(other!)]).toEqual(before);
    const { projections } = await checkReadModels(pool);
    expect(projections.flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('or whose rows the tables refuse is reported too, live and in a rebuild', async () => {
    const [bad] = await startJobs(1);
    await append(phaseStream(bad!, 1), bad!, 'ToolCallDenied', {
      callId: 'c',
      step: 3_000_000_000,
      name: 'x',
      code: 'unknown_tool',
      message: '',
    });
    await expect
      .poll(async () => (await listed(bad!))?.unreadableReason, { timeout: 20_000 })
      .toContain('its rows cannot be written');
    await rebuildReadModels(pool);
    expect((await listed(bad!))?.unreadableReason).toContain('its rows cannot be written');
    // Lists still work, although the log contains all these events.
    expect((await jobList()).length).toBeGreaterThan(15);
  });
});
