import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { JsonValue } from '@phaseline/basics';
import { PhaselineClient, type DeadLetterRecord } from '@phaseline/client';
import { DeadLetters } from '@phaseline/cluster';
import { deadLetterStream } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { sendToJobs } from '../testing/send-to-jobs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: pg.Pool;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createPool(orchestrator.databaseUrls.service);
});
afterAll(async () => {
  await pool.end();
  await orchestrator.stop();
});

const jobsOf = async (run: string) => (await client.listPage({ label: `run=${run}` })).items;

async function letterOf(messageId: string): Promise<DeadLetterRecord> {
  return expect
    .poll(
      async () =>
        (await collect(client.deadLetters.list({ queue: 'jobs' }))).find(
          (deadLetter) => deadLetter.messageId === messageId,
        ),
      { timeout: 10_000 },
    )
    .toBeDefined()
    .then(async () =>
      (await collect(client.deadLetters.list({ queue: 'jobs' }))).find(
        (deadLetter) => deadLetter.messageId === messageId,
      )!,
    );
}

describe('the jobs queue', () => {
  it('creates a job from a message', async () => {
    const run = randomUUID();
    await sendToJobs(orchestrator, {
      agent: 'writer',
      documents: [{ name: 'a.md', content: 'text' }],
      labels: { run },
    });
    await expect.poll(async () => (await jobsOf(run)).length, { timeout: 10_000 }).toBe(1);
    const [job] = await jobsOf(run);
    expect(await client.readText(job!.jobId, 'documents/a.md')).toBe('text');
    const [event] = await orchestrator.store.read(`job-${job!.jobId}`);
    // No callers need keys here, so messages are those of the local user.
    expect(event?.metadata).toEqual({ actor: { id: userInfo().username, kind: 'person' } });
  });

  it('creates one job from messages with one key', async () => {
    const run = randomUUID();
    const request = { agent: 'writer', labels: { run }, idempotencyKey: `key-${run}` };
    await sendToJobs(orchestrator, request, `m1-${run}`);
    await expect.poll(async () => (await jobsOf(run)).length, { timeout: 10_000 }).toBe(1);
    const [job] = await jobsOf(run);
    await sendToJobs(orchestrator, request, `m2-${run}`);
    await expect
      .poll(async () => (await client.queues()).queues.find(({ queue }) => queue === 'jobs'), { timeout: 10_000 })
      .toMatchObject({ waiting: 0, active: 0 });
    await expect.poll(async () => (await jobsOf(run)).map(({ jobId }) => jobId)).toEqual([job!.jobId]);
  });

  it.each([
    ['no request', { hello: 'world' }, /agent/],
    ['a misspelt budget', { agent: 'writer', budgets: { maxCost: 1 } }, /budgets: Unrecognized key/],
    ['no object', [], /expected object/],
    ['an unknown agent', { agent: 'wirter' }, /There is no agent "wirter"\. Did you mean "writer"\?.*unknown_agent/],
    ['missing inputs', { agent: 'reader' }, /the agent reader needs a document.*inputs_missing/],
    [
      'an empty document',
      { agent: 'writer', documents: [{ name: 'a.md', content: '' }] },
      /a\.md is empty.*document_unusable/,
    ],
  ])('keeps %s as a dead letter with the reason', async (_, payload, reason) => {
    const id = `bad-${randomUUID()}`;
    await sendToJobs(orchestrator, payload, id);
    const deadLetter = await letterOf(id);
    expect(deadLetter).toMatchObject({
      queue: 'jobs',
      messageId: id,
      attempts: 1,
      reason: expect.stringMatching(reason),
      payload,
    });
  });

  it('keeps a message as a dead letter when its key was used for another request', async () => {
    const key = `key-${randomUUID()}`;
    await sendToJobs(orchestrator, { agent: 'writer', idempotencyKey: key, labels: { run: key } });
    await expect.poll(async () => (await jobsOf(key)).length, { timeout: 10_000 }).toBe(1);
    await sendToJobs(orchestrator, { agent: 'writer', instructions: 'other', idempotencyKey: key }, `conflict-${key}`);
    expect((await letterOf(`conflict-${key}`)).reason).toMatch(
      /used before with another request.*idempotency_conflict/,
    );
  });
});

describe('dead letters', () => {
  const retry = (id: string) => orchestrator.json(`/v1/dead-letters/${id}/retry`, { method: 'POST' });

  it('are put back on their queue once, however many requests there are', async () => {
    const run = randomUUID();
    const deadLetters = new DeadLetters(pool);
    const id = String(
      await deadLetters.add({
        queue: 'jobs',
        messageId: `lost-${run}`,
        payload: { json: { agent: 'writer', labels: { run } } },
        reason: 'the database was away',
        attempts: 20,
      }),
    );
    const answers = await Promise.all([retry(id), retry(id), retry(id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.filter(({ body }) => body['changed'] === true)).toHaveLength(1);
    await expect.poll(async () => (await jobsOf(run)).length, { timeout: 10_000 }).toBe(1);
    expect(await retry(id)).toMatchObject({
      status: 200,
      body: { id, queue: 'jobs', messageId: `lost-${run}`, changed: false },
    });
    expect((await collect(client.deadLetters.list())).map((deadLetter) => deadLetter.id)).not.toContain(id);
    const [job, ...others] = await jobsOf(run);
    expect(others).toEqual([]);
    expect((await client.deadLetters.get(id)).jobId).toBe(job?.jobId);
    // The requests that changed nothing are not recorded.
    const events = await orchestrator.store.read(deadLetterStream(Number(id)));
    expect(events.map(({ type }) => type)).toEqual(['DeadLetterRetried']);
  });

  it('can be read one by one, with the whole payload and the other failures of their message', async () => {
    const deadLetters = new DeadLetters(pool);
    const add = (second: number, json: JsonValue): Promise<number> =>
      deadLetters.add({
        ...{ queue: 'jobs', messageId: 'large', payload: { json }, reason: `failure ${second}`, attempts: 3 },
        enqueuedAt: `2030-01-01T00:00:0${second}.000Z`,
      });
    const first = String(await add(1, {}));
    const second = String(await add(2, { text: 'x'.repeat(20_000) }));
    await client.deadLetters.discard(first);
    const detail = await client.deadLetters.get(second);
    expect(detail).toMatchObject({ payload: { text: 'x'.repeat(20_000) }, enqueuedAt: '2030-01-01T00:00:02.000Z' });
    expect(detail.others).toEqual([
      {
        ...{ id: first, reason: 'failure 1', attempts: 3, failedAt: expect.any(String) as string },
        discardedAt: expect.any(String) as string,
      },
    ]);
    const listed = (await client.deadLetters.listPage({ queue: 'jobs' })).items.find(({ id }) => id === second);
    expect(listed?.payloadBytes).toBeGreaterThan(20_000);
    expect(await orchestrator.json('/v1/dead-letters/999999')).toMatchObject({
      status: 404,
      body: { code: 'dead_letter_not_found' },
    });
    await client.deadLetters.discard(second, { reason: 'not needed' });
    expect(await client.deadLetters.get(second)).toMatchObject({
      discardedBy: userInfo().username,
      discardReason: 'not needed',
    });
  });

  it('that would be refused again are kept, and the response says why', async () => {
    const deadLetters = new DeadLetters(pool);
    const id = String(
      await deadLetters.add({
        queue: 'jobs',
        messageId: 'x',
        payload: { json: { agnt: 'writer' } },
        reason: 'r',
        attempts: 1,
      }),
    );
    expect(await retry(id)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message: expect.stringMatching(/refused again: agent/) },
    });
    expect((await deadLetters.get(Number(id)))?.retriedAt).toBeUndefined();
    const text = String(
      await deadLetters.add({ queue: 'tools', messageId: 'x', payload: { text: 'NaN' }, reason: 'r', attempts: 1 }),
    );
    expect(await retry(text)).toMatchObject({ status: 400, body: { message: expect.stringContaining('not JSON') } });
  });

  it('that are discarded are no longer listed or sent, and cannot be retried', async () => {
    const run = randomUUID();
    const deadLetters = new DeadLetters(pool);
    const payload = { json: { agent: 'writer', labels: { run } } };
    const id = String(
      await deadLetters.add({ queue: 'jobs', messageId: `no-${run}`, payload, reason: 'r', attempts: 1 }),
    );
    expect(await client.deadLetters.discard(id)).toEqual({
      id,
      queue: 'jobs',
      messageId: `no-${run}`,
      changed: true,
    });
    expect(await client.deadLetters.discard(id)).toMatchObject({ changed: false });
    await expect(client.deadLetters.retry(id)).rejects.toMatchObject({ code: 'request_refused' });
    expect((await collect(client.deadLetters.list())).map((deadLetter) => deadLetter.id)).not.toContain(id);
    const sent = String(
      await deadLetters.add({ queue: 'jobs', messageId: `yes-${run}`, payload, reason: 'r', attempts: 1 }),
    );
    expect(await client.deadLetters.retry(sent)).toMatchObject({ changed: true });
    await expect(client.deadLetters.discard(sent)).rejects.toMatchObject({ code: 'request_refused' });
    await expect.poll(async () => (await jobsOf(run)).length, { timeout: 10_000 }).toBe(1);
  });

  it('that do not exist are not found', async () => {
    for (const id of ['999999999', 'x', '-1', '1.5', '99999999999999999999']) {
      expect(await retry(id), id).toMatchObject({ status: 404, body: { code: 'dead_letter_not_found' } });
      await expect(client.deadLetters.discard(id), id).rejects.toMatchObject({ code: 'dead_letter_not_found' });
    }
  });

  it('are listed in pages, latest first', async () => {
    const deadLetters = new DeadLetters(pool);
    for (let number = 0; number < 5; number += 1)
      await deadLetters.add({
        queue: 'tactical',
        messageId: `m${number}`,
        payload: { json: {} },
        reason: 'r',
        attempts: 1,
      });
    const listed = await collect(client.deadLetters.list({ queue: 'tactical', limit: 2 }));
    expect(listed.map(({ messageId }) => messageId)).toEqual(['m4', 'm3', 'm2', 'm1', 'm0']);
    for (const query of ['cursor=x', 'limit=1000', 'odd=1'])
      expect(await orchestrator.json(`/v1/dead-letters?${query}`)).toMatchObject({ status: 400 });
  });
});

describe('queues', () => {
  it('report the messages that wait in them', async () => {
    const before = await client.queues();
    expect(before.backend).toBe('postgres');
    expect(before.queues.map(({ queue }) => queue)).toEqual(
      expect.arrayContaining(['jobs', 'strategic', 'tactical', 'tools']),
    );
    const depth = async () => (await client.queues()).queues.find(({ queue }) => queue === 'strategic')!;
    const waiting = (await depth()).waiting;
    await client.submit({ agent: 'writer' });
    // No worker runs here that would take the message.
    await expect.poll(depth).toMatchObject({ waiting: waiting + 1, longestWaitMs: expect.any(Number) });
    expect((await client.queues()).deadLetterCount).toBeGreaterThan(0);
  });
});
