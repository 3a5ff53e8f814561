import { randomUUID } from 'node:crypto';
import type { CallId, EventId, JobId } from '@phaseline/contracts';
import {
  agentDefinitionSchema,
  getSchemaVersion,
  jobStream,
  phaseStream,
  workflowSchema,
  type JobEvent,
  type PhaseEvent,
} from '@phaseline/domain';
import { buildJobSubmitted, buildPhaseStart } from '@phaseline/domain/testing';
import { createPool, EventStore, removeSubscription, type Subscription } from '@phaseline/event-store';
import { createLearningTracesProjection, LearningTraces, TracePromotions } from '@phaseline/learning';
import { Retention, setRetention, type RetentionResult } from '@phaseline/orchestration';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultAgent, defaultWorkflow } from './engine.js';

let database: TestDatabase;
let pool: Pool;
let owner: Pool;
let store: EventStore;
let projection: Subscription;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 6 });
  owner = createPool(database.ownerUrl, { max: 2 });
  store = new EventStore(pool);
  await startProjection();
});
afterEach(async () => {
  await projection.close();
  await store.close();
  await pool.end();
  await owner.end();
  await database.drop();
});

const actor = { id: 'retention', kind: 'process' } as const;
const agent = agentDefinitionSchema.parse(defaultAgent);
const workflow = workflowSchema.parse(defaultWorkflow);
const END = { type: 'JobFailed', data: {} };
const RETRY = { type: 'JobRetried', data: {} };
const hold = (type: 'HoldPlaced' | 'HoldReleased') => ({ type, data: { actor: 'ada', reason: 'case' } });

async function startProjection(): Promise<void> {
  projection = createLearningTracesProjection(pool, { pollMs: 10 });
  await projection.start();
}

type Untyped = { readonly type: string; readonly data: object };

async function append(streamId: string, jobId: JobId, events: readonly (JobEvent | PhaseEvent | Untyped)[]) {
  await store.append({
    ...{ streamId, correlationId: jobId, expectedVersion: 'any', reopensStream: true },
    events: events.map(({ type, data }) => ({
      ...{ eventId: randomUUID() as EventId, type, schemaVersion: getSchemaVersion(type as JobEvent['type']) },
      ...{ data: data as never, metadata: {} },
    })),
  });
}

const appendToJob = (jobId: JobId, ...events: readonly Untyped[]) => append(jobStream(jobId), jobId, events);

/** A job in which a call is denied, a person overrides a guard, and these events follow. */
async function playJob(text: string, ...events: readonly Untyped[]): Promise<JobId> {
  const jobId = randomUUID() as JobId;
  const callId = 'c1' as CallId;
  const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  const calls = [{ callId, name: 'write_file', arguments: { content: text } }];
  await append(jobStream(jobId), jobId, [buildJobSubmitted({ jobId, agent, workflow })]);
  await append(phaseStream(jobId, 1), jobId, [
    buildPhaseStart({ identity: { jobId } }),
    {
      type: 'ModelResponded',
      data: { step: 1, model: 'm', content: '', calls, end: 'calls', usage, costMicroUsd: 0, durationMs: 1 },
    },
    {
      type: 'ToolCallDenied',
      data: { callId, step: 1, name: 'write_file', code: 'guard_denied', message: 'Not here.' },
    },
  ]);
  const override = { guard: 'g', scope: 'tenant', actor: 'ada', reason: text, expiresAt: '2030-01-01T00:00:00.000Z' };
  await appendToJob(jobId, { type: 'JobGuardOverridden', data: override }, ...events);
  return jobId;
}

async function run(options: { readonly dryRun?: boolean } = {}): Promise<RetentionResult[]> {
  const now = new Date(Date.now() + 31 * 24 * 60 * 60 * 1_000);
  const results: RetentionResult[] = [];
  for await (const result of new Retention(store, pool).run({ actor, now, ...options })) results.push(result);
  return results;
}

/** All rows with all columns. */
async function readRows(): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await owner.query<Record<string, unknown>>('SELECT * FROM phaseline.learning_traces ORDER BY id');
  return rows;
}

async function listDenials(): Promise<readonly JobId[]> {
  const rows = await readRows();
  return rows.filter(({ type }) => type === 'violation').map((row) => row['job_id'] as JobId);
}

it('removes the learning traces of ended jobs that nobody promoted, and a rebuild ends with the same rows', async () => {
  const ended = await playJob('ended', END);
  const promoted = await playJob('promoted', END);
  const held = await playJob('held', END, hold('HoldPlaced'));
  const running = await playJob('running', END, RETRY);
  await expect.poll(listDenials).toHaveLength(4);
  const [trace] = await new LearningTraces(pool).list(
    { tenants: 'all' },
    { jobId: promoted, type: 'violation' },
    { limit: 1 },
  );
  await new TracePromotions(pool, store).promote(
    trace!,
    { to: 'project', reason: 'helps' },
    { id: 'bob', kind: 'person' },
  );
  await expect.poll(async () => (await readRows()).filter(({ scope }) => scope === 'project')).toHaveLength(1);

  expect(await run()).toEqual([]);
  const days = { filesDays: null, vectorsDays: null, learningDays: 30, coldDays: null };
  await setRetention(store, pool, 'default', { days, actor });
  const expected = [{ jobId: ended, tenant: 'default', outcome: { kind: 'traces-removed', traces: 1 } }];
  expect(await run({ dryRun: true })).toEqual(expected);
  expect(await listDenials()).toHaveLength(4);
  expect(await run()).toEqual(expected);
  await expect.poll(listDenials).toHaveLength(3);
  expect(new Set(await listDenials())).toEqual(new Set([promoted, held, running]));
  await expect.poll(() => run()).toEqual([]);

  // What follows a removal stays, and what a removal left is removed later.
  await appendToJob(ended, RETRY, { type: 'JobSteered', data: { actor: 'ada', message: 'Stop.' } });
  await appendToJob(held, hold('HoldReleased'));
  await expect.poll(() => run()).toEqual([{ ...expected[0], jobId: held }]);
  await expect.poll(async () => new Set(await listDenials())).toEqual(new Set([promoted, running]));
  const actions = (await readRows()).map(({ action }) => action as string).toSorted();
  // Limits of guards count overrides.
  expect(actions).toEqual([
    ...['call_tool', 'call_tool', ...Array.from({ length: 4 }, () => 'override_guard'), 'promote_trace', 'steer'],
  ]);

  const before = await readRows();
  await projection.close();
  await removeSubscription(pool, 'learning-traces');
  await owner.query('TRUNCATE phaseline.learning_traces CASCADE');
  await startProjection();
  await expect.poll(readRows).toEqual(before);
});

it('does not trust an event that names jobs on hold, jobs that run, or promoted learning traces', async () => {
  const jobs = [
    await playJob('ended', END),
    await playJob('held', END, hold('HoldPlaced')),
    await playJob('running', END, RETRY),
    await playJob('promoted', END),
  ];
  await expect.poll(listDenials).toHaveLength(4);
  await owner.query(`UPDATE phaseline.learning_traces SET scope = 'project' WHERE job_id = $1`, [jobs[3]]);
  const data = { actor: 'x', tenant: 'default', jobs, removedAt: '2030-01-01T00:00:00.000Z', afterDays: 0 };
  await store.append({
    ...{ streamId: 'retention-default', correlationId: 'retention-default', expectedVersion: 'any' },
    events: [{ eventId: randomUUID(), type: 'LearningTracesRemoved', schemaVersion: 1, data, metadata: {} }],
  });
  await expect.poll(async () => new Set(await listDenials())).toEqual(new Set(jobs.slice(1)));
});

it('removes nothing that the log does not say to remove', async () => {
  const jobId = await playJob('kept', END);
  await expect.poll(listDenials).toEqual([jobId]);
  await expect(pool.query('DELETE FROM phaseline.learning_traces')).rejects.toThrow('permission denied');
  const { rows } = await pool.query(
    'SELECT phaseline.remove_learning_traces(event_id) AS removed FROM phaseline.events',
  );
  expect(rows.every(({ removed }) => removed === '0')).toBe(true);
  // An event for another tenant, or in the stream of another tenant.
  for (const [stream, tenant] of [
    ['retention-other', 'other'],
    ['retention-other', 'default'],
  ] as const) {
    const eventId = randomUUID() as EventId;
    const data = { actor: 'x', tenant, jobs: [jobId], removedAt: '2030-01-01T00:00:00.000Z', afterDays: 0 };
    const event = { ...{ eventId, type: 'LearningTracesRemoved', schemaVersion: 1, data, metadata: {} } };
    await store.append({ streamId: stream, correlationId: stream, expectedVersion: 'any', events: [event] });
    const result = await pool.query('SELECT phaseline.remove_learning_traces($1) AS removed', [eventId]);
    expect(result.rows).toEqual([{ removed: '0' }]);
  }
  expect(await listDenials()).toEqual([jobId]);
});
