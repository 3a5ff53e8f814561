import { randomUUID } from 'node:crypto';
import type { CallId, EventId, JobId } from '@phaseline/contracts';
import {
  agentDefinitionSchema,
  getSchemaVersion,
  jobStream,
  phaseStream,
  redactEvent,
  workflowSchema,
  type JobEvent,
  type PhaseEvent,
} from '@phaseline/domain';
import { buildJobSubmitted, buildPhaseStart } from '@phaseline/domain/testing';
import { createPool, EventStore, MasterKeys, removeSubscription, type Subscription } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PromotionRefused, TracePromotions } from '../promotion/trace-promotions.js';
import { LearningTraces } from './learning-traces.js';
import { createLearningTracesProjection } from './learning-traces-projection.js';

const HASH = 'a'.repeat(64);
const agent = agentDefinitionSchema.parse({ name: 'coding-agent', displayName: 'Coder', tools: {} });
const workflow = workflowSchema.parse({
  name: 'short',
  version: 1,
  start: 'work',
  states: {
    work: {
      kind: 'tactical',
      title: 'Work',
      todos: ['do it'],
      finish: 'done',
      outcomes: { done: { end: 'completed' } },
    },
  },
});
const everybody = { tenants: 'all' } as const;

let database: TestDatabase;
let pool: pg.Pool;
let store: EventStore;
let projection: Subscription | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  store = new EventStore(pool, {
    encryption: { masterKeys: MasterKeys.parse(MasterKeys.generate()), redact: redactEvent, keyCacheMs: 0 },
  });
});
afterEach(async () => {
  await projection?.close();
  await store.close();
  await pool.end();
  await database.drop();
});

async function append(streamId: string, jobId: JobId, ...events: readonly (JobEvent | PhaseEvent)[]): Promise<void> {
  await store.append({
    streamId,
    correlationId: jobId,
    expectedVersion: 'any',
    events: events.map(({ type, data }) => ({
      eventId: randomUUID() as EventId,
      type,
      schemaVersion: getSchemaVersion(type),
      data: data as never,
      metadata: {},
    })),
  });
}

type Submission = Partial<Parameters<typeof buildJobSubmitted>[0]>;

async function submit(changes: Submission, jobId = randomUUID() as JobId): Promise<JobId> {
  await append(jobStream(jobId), jobId, buildJobSubmitted({ jobId, agent, workflow, ...changes }));
  return jobId;
}

/** A phase in which a call is denied after a text of a file. */
async function denyCall(jobId: JobId, text: string): Promise<void> {
  const callId = 'c1' as CallId;
  const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  const calls = [{ callId, name: 'write_file', arguments: { path: 'src/login.ts', content: text } }];
  await append(
    phaseStream(jobId, 1),
    jobId,
    buildPhaseStart({ identity: { jobId }, plan: { todos: [{ id: 1, content: 'Write the login', status: 'open' }] } }),
    {
      type: 'ModelResponded',
      data: { step: 1, model: 'm', content: '', calls, end: 'calls', usage, costMicroUsd: 0, durationMs: 1 },
    },
    {
      type: 'ToolCallDenied',
      data: { callId, step: 1, name: 'write_file', code: 'guard_denied', message: 'Not here.' },
    },
  );
}

async function project(): Promise<void> {
  await projection?.close();
  projection = createLearningTracesProjection(pool, { pollMs: 10 });
  await projection.start();
}

const readTexts = async (): Promise<readonly string[]> =>
  (await new LearningTraces(pool).list(everybody, {}, { limit: 100 })).map(({ event }) => event.happened);

it('a denied call becomes a learning trace of its job, in the project of its submission, once', async () => {
  const jobId = await submit({ tenant: 'red', labels: { project: 'shop' } });
  await denyCall(jobId, 'tested');
  await project();
  const traces = new LearningTraces(pool);
  const list = () => traces.list(everybody, {}, { limit: 10 });
  await expect.poll(list).toHaveLength(1);
  const [trace] = await list();
  expect(trace).toMatchObject({
    ...{ tenant: 'red', project: 'shop', scope: 'job', jobId, phase: 1, type: 'violation', reason: 'guard_denied' },
    context: { agent: 'tester', todo: 1, task: 'Write the login' },
    event: { happened: 'Called write_file (path: src/login.ts, content: tested)', correct: 'Not here.' },
  });
  expect(await traces.find(everybody, trace!.id)).toEqual(trace);
  expect(await traces.search(everybody, {}, { text: 'the login file', limit: 5 })).toEqual([trace]);

  // The log is read again from its start.
  await projection!.close();
  await removeSubscription(pool, 'learning-traces');
  await project();
  await append(jobStream(jobId), jobId, { type: 'JobSteered', data: { actor: 'ada', message: 'Stop\u0000.' } });
  await expect.poll(readTexts).toEqual(['A person sent the agent a message', trace!.event.happened]);
});

it('a job without a label has the project of its repository, else of its agent', async () => {
  const steered: JobEvent = { type: 'JobSteered', data: { actor: 'ada', message: 'Stop.' } };
  for (const repository of [undefined, { url: 'https://example.org/shop.git', ref: 'main' }]) {
    const jobId = await submit(repository ? { repository } : {});
    await append(jobStream(jobId), jobId, steered);
  }
  await project();
  const readProjects = async () =>
    (await new LearningTraces(pool).list(everybody, {}, { limit: 10 })).map((trace) => trace.project);
  await expect.poll(readProjects).toEqual(['https://example.org/shop.git', 'coding-agent']);
});

it('encrypted jobs and played recordings leave nothing in the table', async () => {
  const encrypted = `${randomUUID().slice(0, 14)}8${randomUUID().slice(15)}` as JobId;
  await submit({}, encrypted);
  await denyCall(encrypted, 'secret');
  const fork = randomUUID() as JobId;
  await append(jobStream(fork), fork, {
    type: 'JobForked',
    data: {
      ...{ jobId: fork, actor: 'ada', requestHash: HASH, position: 1, mode: 'recorded', labels: {} },
      parent: { jobId: encrypted, version: 1, hash: HASH },
      carried: {
        ...{ agent: 'coding-agent', tenant: 'default' },
        spending: { steps: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
      },
    },
  });
  await denyCall(fork, 'again');
  await denyCall(await submit({}), 'plain');
  await project();
  await expect.poll(readTexts).toEqual(['Called write_file (path: src/login.ts, content: plain)']);
});

it('agents see learning traces of their own job only, within their tenant', async () => {
  const own = await submit({ tenant: 'red', labels: { project: 'shop' } });
  const other = await submit({ tenant: 'red', labels: { project: 'shop' } });
  await denyCall(own, 'mine');
  await denyCall(other, 'theirs');
  await project();
  await expect.poll(readTexts).toHaveLength(2);
  const traces = new LearningTraces(pool);
  const [, mine] = await traces.list(everybody, {}, { limit: 2 });
  const [theirs] = await traces.list(everybody, { jobId: other }, { limit: 2 });
  const reader = { jobId: own, tenant: 'red', project: 'shop' };
  expect(await traces.list(reader, {}, { limit: 10 })).toEqual([mine]);
  expect(await traces.search(reader, {}, { text: 'login', limit: 10 })).toEqual([mine]);
  expect(await traces.find(reader, theirs!.id)).toBeUndefined();
  expect(await traces.find({ ...reader, tenant: 'blue' }, mine!.id)).toBeUndefined();
  expect(await traces.list({ tenants: ['blue'] }, {}, { limit: 10 })).toEqual([]);
  expect(await traces.list({ tenants: ['red'] }, { type: 'approval' }, { limit: 10 })).toEqual([]);
});

it('other jobs see a promoted learning trace until it is withdrawn, within its tenant and scope, and a rebuild gives the same rows', async () => {
  const jobId = await submit({ tenant: 'red', labels: { project: 'shop' }, actor: 'ada' });
  await denyCall(jobId, 'theirs');
  await project();
  await expect.poll(readTexts).toHaveLength(1);
  const traces = new LearningTraces(pool);
  const [trace] = await traces.list(everybody, {}, { limit: 1 });
  const readers = [
    { jobId: randomUUID() as JobId, tenant: 'red', project: 'shop' },
    { jobId: randomUUID() as JobId, tenant: 'red', project: 'bank' },
    { jobId: randomUUID() as JobId, tenant: 'blue', project: 'shop' },
  ];
  const listReaders = async () => {
    const found = await Promise.all(readers.map((reader) => traces.find(reader, trace!.id)));
    return found.map((one) => one !== undefined);
  };
  const promotions = new TracePromotions(pool, store);
  const [ada, bob] = ['ada', 'bob'].map((id) => ({ id, kind: 'person' }) as const);
  await expect(promotions.promote(trace!, { to: 'project', reason: 'r' }, ada!)).rejects.toThrow(PromotionRefused);
  expect(await promotions.promote(trace!, { to: 'project', reason: 'useful' }, bob!)).toEqual({
    ...{ isChanged: true, scope: 'project' },
  });
  await expect.poll(listReaders).toEqual([true, false, false]);
  await promotions.promote(trace!, { to: 'universal', reason: 'for all' }, bob!);
  await expect.poll(listReaders).toEqual([true, true, false]);
  await promotions.withdraw(trace!, 'outdated', ada!);
  await expect.poll(listReaders).toEqual([false, false, false]);
  expect(await promotions.withdraw(trace!, 'outdated', ada!)).toEqual({ isChanged: false, scope: 'job' });
  await promotions.promote(trace!, { to: 'project', reason: 'after all' }, bob!);
  await expect.poll(listReaders).toEqual([true, false, false]);
  // What a person allowed is a learning trace of the job, which no other job sees.
  expect(await traces.list(everybody, { type: 'approval' }, { limit: 10 })).toMatchObject(
    ['after all', 'for all', 'useful'].map((why) => ({
      ...{ jobId, scope: 'job', action: 'promote_trace', reason: 'person_promoted', event: { why } },
    })),
  );

  const rows = await traces.list(everybody, {}, { limit: 10 });
  await projection!.close();
  await removeSubscription(pool, 'learning-traces');
  const owner = createPool(database.ownerUrl, { max: 1 });
  await owner.query('TRUNCATE phaseline.learning_traces CASCADE');
  await owner.end();
  await project();
  await expect.poll(() => traces.list(everybody, {}, { limit: 10 })).toEqual(rows);
});
