import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@phaseline/basics';
import type { EventId, GuardLimits, JobId } from '@phaseline/contracts';
import { getSchemaVersion, jobStream, parseStoredGuard, type JobEvent } from '@phaseline/domain';
import { createPool, EventStore, type Subscription } from '@phaseline/event-store';
import { call, createThreePhasePolicy, DO_THE_TODO, Engine, parsePrompt } from '@phaseline/harness';
import { createLearningTracesProjection } from '@phaseline/learning';
import { GuardRegistry, GuardWatch } from '@phaseline/orchestration';
import { createReadModelsProjection } from '@phaseline/projections';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let registry: GuardRegistry;
let watch: GuardWatch;
let projections: readonly Subscription[];
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  store = new EventStore(pool);
  registry = new GuardRegistry(pool, store);
  watch = new GuardWatch(pool, registry);
  projections = [
    createLearningTracesProjection(pool, { pollMs: 10 }),
    createReadModelsProjection(pool, { pollMs: 10 }),
  ];
  for (const projection of projections) await projection.start();
});
afterAll(async () => {
  for (const projection of projections ?? []) await projection.close();
  await store?.close();
  await pool?.end();
  await database?.drop();
});

const tenant = 'red';
const author = { id: 'ada', kind: 'person' } as const;
const approver = { id: 'ben', kind: 'person' } as const;
const basis = { cause: 'outcomes_worse', figure: '5 of 6 approvals refused' } as const;

/** Stores a guard that denies reading, and takes it to production. */
async function putIntoProduction(name: string, limits?: GuardLimits): Promise<void> {
  const parsed = parseStoredGuard({
    ...{ name, owner: 'ada', minLabelled: 0, when: { tool: 'read_file' }, then: { deny: 'no' } },
    ...(limits ? { limits } : {}),
  });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const place = { tenant, name };
  const { history } = await registry.add(tenant, parsed, author);
  const nothing = { costMicroUsd: 0, durationMs: 0 };
  await registry.recordBacktest(
    place,
    1,
    {
      ...{ jobs: 0, calls: 0, hits: 0, possiblyWrong: 0, labelled: 0, isComplete: true, examples: [] },
      ...{ moneyAtRisk: { atLeast: nothing, atMost: nothing }, upTo: { until: '2026-11-01T00:00:00.000Z' } },
    },
    author,
  );
  const { version } = history.versions[0]!.added;
  for (const to of ['shadow', 'production'] as const)
    await registry.promote(place, { version, to, basis, reason: 'wanted', frozenAgents: [] }, approver);
}

/** Runs a job that fails because the guards of the tenant deny its call. */
async function runDenied(): Promise<void> {
  const engine = new Engine({
    store,
    guards: await registry.listInForce(tenant),
    agent: { tools: { workspace: ['read_file'], tactical: ['todo_complete'] }, limits: { deniedCalls: 1 } } as never,
    policy: createThreePhasePolicy((request) =>
      parsePrompt(request).turn === 0 ? call('read_file', { path: 'instructions.md' }) : DO_THE_TODO,
    ),
  });
  const jobId = await engine.submitAndRun({ tenant });
  expect((await engine.loadJob(jobId)).status).toBe('failed');
  const status = async () =>
    (await pool.query<{ status: string }>('SELECT status FROM phaseline.jobs WHERE job_id = $1', [jobId])).rows[0]
      ?.status;
  await expect.poll(status).toBe('failed');
}

async function override(jobId: JobId, guard: string): Promise<void> {
  const event: JobEvent = {
    type: 'JobGuardOverridden',
    data: { guard, scope: 'tenant', actor: 'ben', reason: 'for this job', expiresAt: '2030-01-01T00:00:00.000Z' },
  };
  const eventId = randomUUID() as EventId;
  await store.append({
    ...{ streamId: jobStream(jobId), correlationId: jobId, expectedVersion: 'any' as const },
    // What the schemas of events accept is JSON; their types have no index signature.
    events: [
      {
        eventId,
        type: event.type,
        schemaVersion: getSchemaVersion(event.type),
        data: event.data as unknown as JsonObject,
        metadata: {},
      },
    ],
  });
  const traced = async () =>
    (await pool.query('SELECT FROM phaseline.learning_traces WHERE id = $1', [eventId])).rowCount;
  await expect.poll(traced).toBe(1);
}

const stageOf = async (name: string) =>
  (await registry.list([tenant])).find((guard) => guard.name === name)!.production ? 'production' : 'draft';

it('a guard is rolled back once its overrides or failed jobs since its promotion exceed a limit, if its owner wants that', async () => {
  // The stream of a job that ended is closed, so the overridden one is only submitted.
  const early = await new Engine({ store, policy: () => DO_THE_TODO }).submit({ tenant });
  await override(early, 'automatic');
  await putIntoProduction('automatic', { maxOverrides: 1, automatic: true });
  await putIntoProduction('reported', { maxFailedJobs: 0, automatic: false });
  await putIntoProduction('unlimited');
  await override(early, 'automatic');
  expect(await watch.listExceeded([tenant])).toEqual([]);
  expect(await watch.rollBackExceeded()).toEqual([]);

  await override(early, 'automatic');
  await override(early, 'unlimited');
  await runDenied();
  const exceeded = [
    {
      tenant,
      name: 'automatic',
      number: 1,
      owner: 'ada',
      automatic: true,
      basis: { figure: '2 overrides, more than 1' },
    },
    { tenant, name: 'reported', number: 1, automatic: false, basis: { figure: '1 failed job, more than 0' } },
  ];
  expect(await watch.listExceeded([tenant])).toMatchObject(exceeded);
  expect(await watch.listExceeded(['blue'])).toEqual([]);
  // Of two replicas that find the same, one rolls back.
  const both = await Promise.all([watch.rollBackExceeded(), watch.rollBackExceeded()]);
  expect(both.flat().map(({ name }) => name)).toEqual(['automatic']);
  expect(await watch.listExceeded([tenant])).toMatchObject([exceeded[1]]);
  expect([await stageOf('automatic'), await stageOf('reported'), await stageOf('unlimited')]).toEqual([
    'draft',
    'production',
    'production',
  ]);
  expect((await registry.readEvents({ tenant, name: 'automatic' })).at(-1)!.event).toMatchObject({
    type: 'GuardStageChanged',
    data: {
      ...{ actor: 'guard-watch', from: 'production', to: 'draft', cause: 'rolled_back' },
      basis: { cause: 'outcomes_worse', figure: '2 overrides, more than 1' },
    },
  });
});
