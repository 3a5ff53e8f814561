import { randomUUID } from 'node:crypto';
import { PhaselineClient, type LearningTraceRecord } from '@phaseline/client';
import { createPool, EventStore } from '@phaseline/event-store';
import { Principals, type Caller } from '@phaseline/identity';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const root: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };

let orchestrator: OrchestratorForSpecs;
let ada: PhaselineClient;
let foreign: string;
let approver: PhaselineClient;
let administrator: PhaselineClient;
let submitted: string;

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_API_KEYS: 'root=key-of-the-spec-0123456789' });
  const pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
  const store = new EventStore(pool);
  const principals = new Principals(pool, store);
  await principals.create(root, 'ada', 'person');
  await principals.grant(root, 'ada', 'viewer', 'acme');
  const { key: apiKey } = await principals.createKey(root, 'ada', { label: 'spec' });
  ada = new PhaselineClient({ baseUrl: orchestrator.url, apiKey, retries: 0 });
  await principals.create(root, 'bob', 'person');
  await principals.grant(root, 'bob', 'approver', 'acme');
  const ofBob = await principals.createKey(root, 'bob', { label: 'spec' });
  approver = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: ofBob.key, retries: 0 });
  administrator = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: 'key-of-the-spec-0123456789', retries: 0 });
  const { jobId } = await administrator.submit({ agent: 'writer', tenant: 'acme' });
  const insert = async (
    position: number,
    tenant: string,
    type: string,
    happened: string,
    ofJob: string = randomUUID(),
  ): Promise<string> => {
    const id = randomUUID();
    await pool.query(
      `INSERT INTO phaseline.learning_traces (id, position, tenant, project, job_id, recorded_at, type, source, action, reason, agent, happened)
       VALUES ($1, $2, $3, 'shop', $4, '2030-01-01Z', $5, 'auto_detected', 'note', 'other', 'coder', $6)`,
      [id, position, tenant, ofJob, type, happened],
    );
    return id;
  };
  await insert(1, 'acme', 'violation', 'Rounded the price.');
  await insert(2, 'acme', 'approval', 'Allowed the deployment.');
  submitted = await insert(3, 'acme', 'violation', 'Edited a snapshot.', jobId);
  foreign = await insert(4, 'other', 'violation', 'Rounded the price of others.');
  await store.close();
  await pool.end();
});
afterAll(() => orchestrator.stop());

async function list(query: Parameters<PhaselineClient['learningTraces']>[0]): Promise<LearningTraceRecord[]> {
  const found: LearningTraceRecord[] = [];
  for await (const trace of ada.learningTraces(query)) found.push(trace);
  return found;
}

it('a person lists the learning traces of their tenants page by page, searches them, and reads one', async () => {
  expect((await list({ limit: 1 })).map(({ position }) => position)).toEqual([3, 2, 1]);
  expect((await list({ type: 'violation', limit: 2 })).map(({ position }) => position)).toEqual([3, 1]);
  expect(await list({ action: 'steer' })).toEqual([]);
  expect(await list({ action: 'note', scope: 'job' })).toHaveLength(3);
  expect(await list({ scope: 'project' })).toEqual([]);
  const [found, ...others] = await list({ text: 'rounding of prices', action: 'note' });
  expect(others).toEqual([]);
  expect(await ada.learningTrace(found!.id)).toEqual(found);
  expect(found).toMatchObject({ tenant: 'acme', scope: 'job', event: { happened: 'Rounded the price.' } });
});

it('a learning trace of another tenant, or none, is not found', async () => {
  for (const id of [foreign, randomUUID(), 'no-uuid'])
    await expect(ada.learningTrace(id)).rejects.toMatchObject({ code: 'trace_not_found', status: 404 });
  await expect(list({ text: 'price', before: 3 })).rejects.toMatchObject({ code: 'invalid_request' });
});

it('an approver promotes and withdraws a learning trace of a job of another person; others cannot', async () => {
  const request = { to: 'project', reason: 'all of us make it' } as const;
  await expect(ada.learning.promote(submitted, request)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(administrator.learning.promote(submitted, request)).rejects.toMatchObject({ code: 'request_refused' });
  await expect(approver.learning.promote(foreign, request)).rejects.toMatchObject({ code: 'trace_not_found' });
  const change = { changed: true, id: submitted, scope: 'project' };
  expect(await approver.learning.promote(submitted, request)).toEqual(change);
  expect(await approver.learning.promote(submitted, request)).toEqual({ ...change, changed: false });
  const readScope = async () => (await ada.learningTrace(submitted)).scope;
  await expect.poll(readScope).toBe('project');
  const withdrawn = await approver.learning.withdraw(submitted, { reason: 'outdated' });
  expect(withdrawn).toEqual({ changed: true, id: submitted, scope: 'job' });
  await expect.poll(readScope).toBe('job');
});
