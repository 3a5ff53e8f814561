import type { InboxItem, InboxQuery } from '@phaseline/client';
import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool, EventStore } from '@phaseline/event-store';
import { Principals, type Caller } from '@phaseline/identity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  collect,
  phaseEvents,
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../testing/orchestrator-for-specs.js';

const ROOT_KEY = 'key-of-the-spec-0123456789';
const root: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };

/** An agent whose phase can return that its task is impossible, which blocks the job. */
const files = {
  'workflows/stopping.yaml': `
name: stopping
version: 1
start: work
states:
  work:
    kind: strategic
    agent: stopper
    title: Work
    todos: [Look, Think, Write]
    finish: done
    outcomes:
      done: { end: completed }
      impossible: { end: blocked, when: returned, early: true, code: task_impossible, items: /defects }
`,
  'agents/stopper/agent.yaml': `
name: stopper
displayName: Stopper
workflow: stopping
tools: { workspace: [read_file] }
returns: { schema: schemas/return.json }
`,
  'agents/stopper/instructions.md': '# Stop well\n',
  'agents/stopper/schemas/return.json': '{ "type": "object" }\n',
};

let orchestrator: OrchestratorForSpecs;
const keys: Record<'ada' | 'foreigner', string> = { ada: '', foreigner: '' };

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_API_KEYS: `root=${ROOT_KEY}` }, { files });
  const pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
  const store = new EventStore(pool);
  const principals = new Principals(pool, store);
  for (const [id, tenant] of [
    ['ada', 'acme'],
    ['foreigner', 'other'],
  ] as const) {
    await principals.create(root, id, 'person');
    await principals.grant(root, id, 'viewer', tenant);
    keys[id] = (await principals.createKey(root, id, { label: 'spec' })).key;
  }
  await store.close();
  await pool.end();
});
afterAll(() => orchestrator.stop());

const clientOf = (name: keyof typeof keys | 'root'): PhaselineClient =>
  new PhaselineClient({ baseUrl: orchestrator.url, apiKey: name === 'root' ? ROOT_KEY : keys[name], retries: 0 });
const list = (query: Partial<InboxQuery> = {}, name: keyof typeof keys = 'ada'): Promise<InboxItem[]> =>
  collect(clientOf(name).inbox(query));
/** Waits until the inbox has this number of entries. */
const waitForEntries = async (count: number, query: Partial<InboxQuery> = {}): Promise<InboxItem[]> => {
  let items: InboxItem[] = [];
  await expect.poll(async () => (items = await list(query)).length, { timeout: 20_000 }).toBe(count);
  return items;
};

const submit = async (): Promise<JobId> => (await clientOf('root').submit({ agent: 'stopper', tenant: 'acme' })).jobId;
const block = (jobId: JobId, todoId: number, reason: string): Promise<void> =>
  orchestrator.inPhase(jobId, 1, [{ type: 'TodoBlocked', data: { todoId, reason, callId: 'call_1_1_1' } }]);
/** Ends a job as blocked, as the agent does that cannot continue. */
const blockJob = (jobId: JobId): Promise<void> => {
  const result = { defects: [{ id: 'f1', reason: 'no compiler' }, 'no network'] };
  return orchestrator.inPhase(jobId, 1, [
    { type: 'PhaseCompleted', data: { outcome: 'impossible', returned: { outcome: 'impossible', result } } },
  ]);
};

describe('what is blocked, in the inbox', () => {
  it('lists the blocked todos of running jobs with their reasons, until they are unblocked or done', async () => {
    const jobId = await submit();
    for (const [todoId, reason] of [
      [1, 'No access.'],
      [2, 'No data.'],
      [3, 'No time.'],
    ] as const)
      await block(jobId, todoId, reason);
    const items = await waitForEntries(3, { jobId });
    expect(items[0]).toMatchObject({
      ...{ kind: 'blocked-todo', jobId, tenant: 'acme', agent: 'stopper', phase: 1 },
      todo: { id: 1, content: 'Look', reason: 'No access.' },
    });
    for (const member of ['callId', 'deadlineAt', 'blocked', 'todoId']) expect(items[0]).not.toHaveProperty(member);
    expect(Date.parse(items[0]!.askedAt)).toBeGreaterThan(Date.now() - 60_000);
    await orchestrator.inPhase(jobId, 1, [
      { type: 'TodoUnblocked', data: { todoId: 1, callId: 'call_1_2_1' } },
      phaseEvents.todoDone(3),
    ]);
    expect((await waitForEntries(1, { jobId }))[0]?.todo).toMatchObject({ id: 2 });
    expect((await clientOf('ada').get(jobId)).status).toBe('running');
    await clientOf('root').cancel(jobId);
    await waitForEntries(0, { jobId });
  });

  it('lists the blocked todos of a fork, which its parent reported', async () => {
    const jobId = await submit();
    await block(jobId, 1, 'No access.');
    await orchestrator.inPhase(jobId, 1, [{ type: 'TodoUnblocked', data: { todoId: 1, callId: 'call_1_2_1' } }]);
    await block(jobId, 2, 'No data.');
    const [parent] = await waitForEntries(1, { jobId });
    const fork = await clientOf('root').fork(jobId, { position: parent!.position });
    const [item, ...more] = await waitForEntries(1, { jobId: fork.jobId });
    expect(more).toEqual([]);
    expect(item).toMatchObject({
      ...{ kind: 'blocked-todo', jobId: fork.jobId, tenant: 'acme', phase: 1 },
      todo: { id: 2, content: 'Think', reason: 'No data.' },
    });
    expect(item!.position).toBeGreaterThan(parent!.position);
    await orchestrator.inPhase(fork.jobId, 1, [{ type: 'TodoUnblocked', data: { todoId: 2, callId: 'call_1_3_1' } }]);
    await waitForEntries(0, { jobId: fork.jobId });
    for (const id of [jobId, fork.jobId]) await clientOf('root').cancel(id);
    await waitForEntries(0, { jobId });
  });

  it('lists a blocked job with its code and what is blocked, until a person retries it', async () => {
    const jobId = await submit();
    await block(jobId, 2, 'No data.');
    await blockJob(jobId);
    await expect
      .poll(async () => (await list({ jobId })).map(({ kind }) => kind), { timeout: 20_000 })
      .toEqual(['blocked-job']);
    const [item] = await list({ jobId });
    const job = await clientOf('ada').get(jobId);
    expect(job.status).toBe('blocked');
    expect(item).toMatchObject({
      ...{ tenant: 'acme', agent: 'stopper', phase: 1, askedAt: job.endedAt },
      blocked: {
        code: 'task_impossible',
        message: 'the outcome impossible of work blocks the job: f1; no network',
        items: [{ id: 'f1', reason: 'no compiler' }, { reason: 'no network' }],
      },
    });
    await clientOf('root').control(jobId, 'retry', {});
    await waitForEntries(0, { jobId, kind: 'blocked-job' });
    await clientOf('root').cancel(jobId);
    await waitForEntries(0, { jobId });
  });

  it('is in the pages with everything else, oldest first, for each kind, and shown to its tenant only', async () => {
    const [todoOf, blocked] = [await submit(), await submit()];
    await block(todoOf, 1, 'No access.');
    await waitForEntries(1);
    await blockJob(blocked);
    const items = await waitForEntries(2);
    expect(items.map(({ kind, jobId }) => [kind, jobId])).toEqual([
      ['blocked-todo', todoOf],
      ['blocked-job', blocked],
    ]);
    const page = await orchestrator.json('/v1/inbox?limit=1', { headers: { authorization: `Bearer ${keys.ada}` } });
    expect(page.body).toMatchObject({ items: [{ jobId: todoOf }], nextAfter: items[0]!.position });
    expect(await list({ after: items[0]!.position })).toMatchObject([{ jobId: blocked }]);
    expect(await list({ kind: 'blocked-job' })).toMatchObject([{ jobId: blocked }]);
    expect(await list({ kind: 'blocked-todo' })).toMatchObject([{ jobId: todoOf }]);
    expect(await list({ kind: 'question' })).toEqual([]);
    for (const query of [{}, { kind: 'blocked-job' }, { jobId: todoOf }, { tenant: 'acme' }] as const)
      expect(await list(query, 'foreigner')).toEqual([]);
    expect(await list({ tenant: 'other' })).toEqual([]);
  });
});
