import { randomUUID } from 'node:crypto';
import { inboxPageSchema, PhaselineClient, type InboxItem, type InboxPage } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import type { PhaseEvent } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { Principals, type Caller } from '@phaseline/identity';
import { hashArguments } from '@phaseline/orchestration';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  collect,
  phaseEvents,
  post,
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../testing/orchestrator-for-specs.js';

const HOUR_MS = 3_600_000;
const ROOT_KEY = 'key-of-the-spec-0123456789';
const root: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };

let orchestrator: OrchestratorForSpecs;
/** Principals of the spec: two approvers and a viewer of the tenant acme, and an approver of another tenant. */
const keys: Record<'ada' | 'bea' | 'viewer' | 'foreigner', string> = { ada: '', bea: '', viewer: '', foreigner: '' };

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_API_KEYS: `root=${ROOT_KEY}` });
  const pool = createPool(orchestrator.databaseUrls.service, { max: 2 });
  const store = new EventStore(pool);
  const principals = new Principals(pool, store);
  const grants: readonly [keyof typeof keys, Caller['roles'][number]['role'], string][] = [
    ['ada', 'approver', 'acme'],
    ['bea', 'approver', 'acme'],
    ['viewer', 'viewer', 'acme'],
    ['foreigner', 'approver', 'other'],
  ];
  for (const [id, role, tenant] of grants) {
    await principals.create(root, id, 'person');
    await principals.grant(root, id, role, tenant);
    keys[id] = (await principals.createKey(root, id, { label: 'spec' })).key;
  }
  await store.close();
  await pool.end();
});
afterAll(() => orchestrator.stop());

const clientOf = (name: keyof typeof keys | 'root'): PhaselineClient =>
  new PhaselineClient({ baseUrl: orchestrator.url, apiKey: name === 'root' ? ROOT_KEY : keys[name], retries: 0 });

/** Sends a decision as one of the principals. */
const decide = (name: keyof typeof keys, jobId: JobId, action: 'approve' | 'refuse' | 'answer', body: object) =>
  orchestrator.json(`/v1/jobs/${jobId}/${action}`, post(body, { authorization: `Bearer ${keys[name]}` }));

const CALL: CallId = 'call_1_1_1';
const QUESTION_HASH = 'c'.repeat(64);

const admitted = (name: string, args: Record<string, string>) => ({
  ...{ callId: CALL, step: 1, name, arguments: args, lane: 'inline' as const, effect: 'idempotent' as const },
  ...{ traits: [], timeoutMs: 10_000 },
});

const responded = (step: number, name: string): PhaseEvent => ({
  type: 'ModelResponded',
  data: {
    ...{ step, model: 'default', content: '', end: 'calls', costMicroUsd: 9, durationMs: 1 },
    calls: [{ callId: `call_1_${step}_1`, name, arguments: { kind: 'parsed', value: {} } }],
    usage: { inputTokens: 100, cachedInputTokens: 10, outputTokens: 5, estimated: false },
  },
});

/** Submits a job of the tenant acme whose agent asks which colour to use. */
async function submitAsking(waitMs = HOUR_MS, askedAt = Date.now()): Promise<JobId> {
  const { jobId } = await clientOf('root').submit({ agent: 'writer', tenant: 'acme' });
  await orchestrator.inPhase(jobId, 1, [
    responded(1, 'ask_person'),
    { type: 'ToolCallRequested', data: admitted('ask_person', {}) },
    {
      type: 'QuestionAsked',
      data: {
        callId: CALL,
        question: 'Which colour?',
        options: ['red', 'green'],
        default: 'red',
        questionHash: QUESTION_HASH,
        askedAt: new Date(askedAt).toISOString(),
        deadlineAt: new Date(askedAt + waitMs).toISOString(),
      },
    },
  ]);
  return jobId;
}

const ARGUMENTS = { path: 'output/text.md', content: 'the new text\n' };

/** Submits a job of the tenant acme whose agent wants to write a file. */
async function submitApproving(waitMs = HOUR_MS): Promise<JobId> {
  const { jobId } = await clientOf('root').submit({ agent: 'writer', tenant: 'acme' });
  await orchestrator.inPhase(jobId, 1, [
    responded(1, 'write_file'),
    {
      type: 'ApprovalRequested',
      data: { ...admitted('write_file', ARGUMENTS), expiresAt: new Date(Date.now() + waitMs).toISOString() },
    },
  ]);
  return jobId;
}

const answerOf = (answer: unknown, questionHash = QUESTION_HASH) => ({ callId: CALL, questionHash, answer });
const approval = { callId: CALL, argumentsHash: hashArguments(ARGUMENTS) };

/** The agent reads the result of its call and continues with another step. */
const continueWork = (jobId: JobId): Promise<void> =>
  orchestrator.inPhase(jobId, 1, [
    {
      type: 'ToolCallCompleted',
      data: { callId: CALL, content: 'done', durationMs: 1, attempts: 1 },
    } as PhaseEvent,
    phaseEvents.answered(2),
  ]);

const kinds = ['question', 'approval'] as const;
const submitWaiting = (kind: (typeof kinds)[number], waitMs?: number): Promise<JobId> =>
  kind === 'question' ? submitAsking(waitMs) : submitApproving(waitMs);
const decideAs = (name: keyof typeof keys, jobId: JobId, kind: (typeof kinds)[number], value = 'green') =>
  kind === 'question' ? decide(name, jobId, 'answer', answerOf(value)) : decide(name, jobId, 'approve', approval);

describe.each(kinds)('a decision about a waiting %s', (kind) => {
  it('needs the right, and a job of another tenant does not exist', async () => {
    const jobId = await submitWaiting(kind);
    expect(await decideAs('viewer', jobId, kind)).toMatchObject({
      status: 403,
      body: {
        code: 'forbidden',
        message: expect.stringContaining(kind === 'question' ? 'questions:answer' : 'approvals:decide') as string,
      },
    });
    const foreign = await decideAs('foreigner', jobId, kind);
    const missing = await decideAs('foreigner', randomUUID() as JobId, kind);
    expect([foreign.status, foreign.body['code']]).toEqual([404, 'job_not_found']);
    // Word for word the response to a job that does not exist, except for its id.
    const [one, other] = [foreign, missing].map(({ body }) => JSON.stringify(body).replaceAll(/[0-9a-f-]{36}/g, 'ID'));
    expect(one).toBe(other);
    expect(await orchestrator.json(`/v1/jobs/${jobId}/answer`, post(answerOf('green')))).toMatchObject({ status: 401 });
    expect(await decideAs('ada', jobId, kind)).toMatchObject({ status: 200, body: { changed: true } });
  });

  it('is made once; later ones name who made it, also after the agent has continued', async () => {
    const jobId = await submitWaiting(kind);
    expect((await decideAs('ada', jobId, kind)).status).toBe(200);
    const refused = {
      status: 409,
      body: {
        code: 'already_decided',
        message: expect.stringMatching(
          /^Not done: .* was already (?:answered|approved) by ada; .*steer its job\.$/,
        ) as string,
      },
    };
    expect(await decideAs('bea', jobId, kind, 'red')).toMatchObject(refused);
    if (kind === 'approval')
      expect(await decide('bea', jobId, 'refuse', { callId: CALL, reason: 'no' })).toMatchObject(refused);
    await continueWork(jobId);
    expect(await decideAs('bea', jobId, kind, 'red')).toMatchObject(refused);
    await clientOf('root').cancel(jobId);
    expect(await decideAs('bea', jobId, kind, 'red')).toMatchObject(refused);
    const ends = await orchestrator.store.readCorrelation(jobId, {
      types: ['QuestionAnswered', 'ApprovalGranted', 'ApprovalRefused'],
    });
    expect(ends.map(({ data, metadata }) => [data['actor'], metadata['actor']])).toEqual([
      ['ada', expect.objectContaining({ id: 'ada', kind: 'person' })],
    ]);
  });

  it('is made once by two people at the same time', async () => {
    const jobId = await submitWaiting(kind);
    const responses = await Promise.all([decideAs('ada', jobId, kind, 'red'), decideAs('bea', jobId, kind, 'green')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(responses.find(({ status }) => status === 409)!.body['code']).toBe('already_decided');
    const ends = await orchestrator.store.readCorrelation(jobId, { types: ['QuestionAnswered', 'ApprovalGranted'] });
    expect(ends).toHaveLength(1);
  });

  it('comes too late after the deadline, and says how to reach the agent instead', async () => {
    const jobId = await submitWaiting(kind, 1);
    const late = {
      status: 409,
      body: {
        code: 'deadline_passed',
        message: expect.stringMatching(/^Not done: .*(?:timed out|expired).*steer its job\.$/) as string,
      },
    };
    expect(await decideAs('ada', jobId, kind)).toMatchObject(late);
    const end = kind === 'question' ? 'QuestionTimedOut' : 'ApprovalRefused';
    await expect
      .poll(async () => (await orchestrator.store.readCorrelation(jobId, { types: [end] })).length, { timeout: 20_000 })
      .toBe(1);
    expect(await decideAs('ada', jobId, kind)).toMatchObject(late);
    await continueWork(jobId).catch(() => undefined);
    expect(await decideAs('ada', jobId, kind)).toMatchObject(late);
  });

  it('does not apply to another version, nor to a call that does not wait', async () => {
    const jobId = await submitWaiting(kind);
    const action = kind === 'question' ? 'answer' : 'approve';
    const body = kind === 'question' ? answerOf('green') : approval;
    const other = kind === 'question' ? { questionHash: 'd'.repeat(64) } : { argumentsHash: 'd'.repeat(64) };
    expect(await decide('ada', jobId, action, { ...body, ...other })).toMatchObject({
      status: 409,
      body: { code: 'version_mismatch', message: expect.stringMatching(/read (?:it|the call) again\.$/) as string },
    });
    expect(await decide('ada', jobId, action, { ...body, callId: 'call_9' })).toMatchObject({
      status: 409,
      body: {
        code: 'not_waiting',
        message: expect.stringMatching(/these do: call_1_1_1; see what waits in the inbox\.$/) as string,
      },
    });
    expect(await decide('ada', jobId, action, { ...body, callId: undefined })).toMatchObject({ status: 400 });
    expect((await decide('ada', jobId, action, body)).status).toBe(200);
  });
});

it('an answer that is not one of the options is refused, and the question stays open', async () => {
  const jobId = await submitAsking();
  expect(await decide('ada', jobId, 'answer', answerOf('blue'))).toMatchObject({
    status: 422,
    body: { code: 'invalid_answer', message: expect.stringContaining('expected one of: red, green') as string },
  });
  expect((await decide('ada', jobId, 'answer', answerOf('green'))).status).toBe(200);
});

const readInbox = async (
  name: keyof typeof keys,
  query: Record<string, string | number | undefined>,
): Promise<InboxPage> => {
  const given = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
  const headers = { authorization: `Bearer ${keys[name]}` };
  const { body } = await orchestrator.json(`/v1/inbox?${new URLSearchParams(given).toString()}`, { headers });
  return inboxPageSchema.parse(body);
};

describe('the inbox over HTTP', () => {
  it('shows approvals as a diff and questions, with age and deadline, page by page, to their tenant only', async () => {
    const before = await collect(clientOf('ada').inbox({}));
    for (const { jobId } of before) await clientOf('root').cancel(jobId);
    const askedAt = Date.now() - HOUR_MS;
    const [asking, approving] = [await submitAsking(8 * HOUR_MS, askedAt), await submitApproving()];
    const both = [asking, approving];
    let items: InboxItem[] = [];
    await expect
      .poll(async () => (items = await collect(clientOf('ada').inbox({}))).map(({ jobId }) => jobId), {
        timeout: 20_000,
      })
      .toEqual(both);
    expect(items[0]).toMatchObject({
      ...{ kind: 'question', tenant: 'acme', agent: 'writer', phase: 1, callId: CALL },
      askedAt: new Date(askedAt).toISOString(),
      deadlineAt: new Date(askedAt + 8 * HOUR_MS).toISOString(),
      question: { text: 'Which colour?', options: ['red', 'green'], default: 'red', questionHash: QUESTION_HASH },
    });
    expect(items[1]).toMatchObject({
      kind: 'approval',
      approval: {
        ...{ tool: 'write_file', arguments: ARGUMENTS, argumentsHash: approval.argumentsHash },
        change: { path: 'output/text.md', patch: expect.stringContaining('+the new text') as string },
      },
    });
    const [first] = items;
    const page = await readInbox('ada', { limit: 1 });
    expect(page).toMatchObject({ items: [{ jobId: asking }], nextAfter: first!.position });
    expect(await readInbox('ada', { limit: 1, after: page.nextAfter })).toMatchObject({
      items: [{ jobId: approving }],
    });
    expect((await readInbox('ada', { kind: 'approval' })).items.map(({ jobId }) => jobId)).toEqual([approving]);
    expect((await readInbox('viewer', { jobId: asking })).items).toHaveLength(1);
    expect((await readInbox('ada', { tenant: 'acme' })).items).toHaveLength(2);
    expect(await readInbox('ada', { tenant: 'other' })).toEqual({ items: [] });
    for (const query of [{}, { jobId: asking }, { kind: 'question' }, { tenant: 'acme' }])
      expect(await readInbox('foreigner', query)).toEqual({ items: [] });
    for (const query of ['limit=0', 'kind=todo', 'after=-1', 'colour=red'])
      expect(
        await orchestrator.json(`/v1/inbox?${query}`, { headers: { authorization: `Bearer ${keys.ada}` } }),
        query,
      ).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('agrees with the status of the jobs, their list and the metrics', async () => {
    const [asking, approving] = [await submitAsking(), await submitApproving()];
    const listed = async (status: 'waiting-for-input' | 'waiting-for-approval'): Promise<readonly string[]> =>
      (await collect(clientOf('ada').list({ statuses: [status] }))).map(({ jobId }) => jobId);
    await expect.poll(() => listed('waiting-for-input'), { timeout: 20_000 }).toContain(asking);
    await expect.poll(() => listed('waiting-for-approval'), { timeout: 20_000 }).toContain(approving);
    expect(await listed('waiting-for-input')).not.toContain(approving);
    expect((await clientOf('foreigner').listPage({ statuses: ['waiting-for-input'] })).items).toEqual([]);
    expect((await clientOf('ada').get(asking)).status).toBe('waiting-for-input');
    await clientOf('root').control(approving, 'pause', {});
    const waiting = (await collect(clientOf('root').list({ statuses: ['waiting-for-input'] }))).length;
    const metrics = async (): Promise<string> =>
      (await orchestrator.fetch('/metrics', { headers: { authorization: `Bearer ${ROOT_KEY}` } })).text();
    await expect.poll(metrics, { timeout: 20_000 }).toMatch(/^phaseline_jobs\{[^}]*status="paused"[^}]*\} 1$/m);
    expect(await metrics()).toMatch(
      new RegExp(`^phaseline_jobs\\{[^}]*status="waiting-for-input"[^}]*\\} ${waiting}$`, 'm'),
    );
    await decide('ada', asking, 'answer', answerOf('green'));
    await expect.poll(() => listed('waiting-for-input'), { timeout: 20_000 }).not.toContain(asking);
  });
});
