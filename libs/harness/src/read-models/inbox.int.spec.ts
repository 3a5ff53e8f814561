import type { JobId } from '@phaseline/contracts';
import { getAdmittedCall } from '@phaseline/domain';
import { peoplePack } from '@phaseline/inline-packs';
import { checkReadModels, Inbox, JobViews } from '@phaseline/projections';
import { Forks, TimeTravel } from '@phaseline/time-travel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestControl } from '../engine/control.fixture.js';
import { Engine } from '../engine/engine.js';
import { ORIGIN, toolsWith } from '../engine/fork.fixture.js';
import { call, createThreePhasePolicy } from '../engine/scripts.js';
import { ProjectionsFixture } from './projections.fixture.js';

let setup: ProjectionsFixture;
beforeEach(async () => {
  setup = await ProjectionsFixture.open();
});
afterEach(() => setup.close());

const ALL = { tenants: 'all', after: 0, limit: 50 } as const;

/** An engine whose jobs ask a question, or write a file that a person has to approve. */
function createEngine(kind: 'question' | 'approval'): Engine {
  const reply =
    kind === 'question'
      ? call('ask_person', { question: 'Which colour?', deadline: '8h' })
      : call('write_file', { path: 'output/a.md', content: 'text' });
  return new Engine({
    store: setup.store,
    policy: createThreePhasePolicy([reply]),
    packs: [peoplePack],
    agent: {
      tools: toolsWith('ask_person'),
      ...(kind === 'approval' ? { approvals: { tools: ['write_file'], expireAfterMs: 60_000 } } : {}),
    },
  });
}

const statusOf = async (jobId: JobId) => (await new JobViews(setup.pool, setup.store).get(jobId))?.status;

describe('the inbox', () => {
  it('lists what waits for a person, oldest first, and nothing of other tenants', async () => {
    await setup.startTail();
    const asked = await createEngine('question').submitAndRun({ tenant: 'acme' });
    const approval = await createEngine('approval').submitAndRun({ tenant: 'other' });
    await setup.waitUntilCaughtUp();
    const inbox = new Inbox(setup.pool);
    const all = await inbox.list(ALL);
    expect(all).toMatchObject([
      { kind: 'question', jobId: asked, tenant: 'acme', phase: 2, callId: 'call_2_1_1' },
      { kind: 'approval', jobId: approval, tenant: 'other', phase: 2, callId: 'call_2_1_1' },
    ]);
    const [first] = all;
    if (first?.kind !== 'question') expect.unreachable();
    expect(Date.parse(first.deadlineAt) - Date.parse(first.askedAt)).toBeGreaterThan(7 * 3_600_000);
    expect(await inbox.list({ ...ALL, tenants: ['acme'] })).toMatchObject([{ jobId: asked }]);
    expect(await inbox.list({ ...ALL, tenants: [] })).toEqual([]);
    expect(await inbox.list({ ...ALL, tenants: ['acme'], jobId: approval })).toEqual([]);
    expect(await inbox.list({ ...ALL, kind: 'approval' })).toMatchObject([{ jobId: approval }]);
    expect(await inbox.list({ ...ALL, after: all[0]!.position, limit: 1 })).toMatchObject([{ jobId: approval }]);
  });

  it('gives the job a status of its own until the person has decided', async () => {
    await setup.startTail();
    const [asking, approving] = [createEngine('question'), createEngine('approval')];
    const [asked, waiting] = [await asking.submitAndRun(), await approving.submitAndRun()];
    expect(await statusOf(asked)).toBe('waiting-for-input');
    expect(await statusOf(waiting)).toBe('waiting-for-approval');
    await setup.waitUntilCaughtUp();
    const counted = await new JobViews(setup.pool, setup.store).count(['waiting-for-input', 'waiting-for-approval']);
    expect([...counted.values()]).toEqual([1, 1]);
    await requestControl(approving, waiting, { action: 'pause' });
    expect(await statusOf(waiting)).toBe('paused');
    await requestControl(approving, waiting, { action: 'resume' });
    expect(await statusOf(waiting)).toBe('waiting-for-approval');
    await requestControl(approving, waiting, { action: 'approve', callId: 'call_2_1_1' });
    expect(await statusOf(waiting)).toBe('running');
    await asking.driver.control(asked, { action: 'cancel', actor: 'ada', reason: '' });
    await setup.waitUntilCaughtUp();
    expect(await new Inbox(setup.pool).list(ALL)).toEqual([]);
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
  });

  it('no longer lists what was answered, while the job continues', async () => {
    await setup.startTail();
    const engine = createEngine('question');
    const jobId = await engine.submitAndRun();
    const { calls } = await engine.loadPhase(jobId, 2);
    const { questionHash } = getAdmittedCall(calls, 'call_2_1_1').question!;
    const given = { action: 'answer', callId: 'call_2_1_1', questionHash, answer: 'green' };
    expect(await requestControl(engine, jobId, given)).toEqual({ kind: 'recorded' });
    expect(await statusOf(jobId)).toBe('running');
    await setup.waitUntilCaughtUp();
    expect(await new Inbox(setup.pool).list(ALL)).toEqual([]);
  });

  it('lists a todo that an agent blocks, whose phase does not end before it is done', async () => {
    await setup.startTail();
    const engine = new Engine({
      store: setup.store,
      policy: createThreePhasePolicy([
        call('block_todo', { reason: 'No access.' }),
        { content: 'I stop here.' },
        call('ask_person', { question: 'Is there access now?', deadline: '8h' }),
      ]),
      packs: [peoplePack],
      agent: { tools: toolsWith('ask_person', 'block_todo') },
    });
    const jobId = await engine.submitAndRun({ tenant: 'acme' });
    await setup.waitUntilCaughtUp();
    const listed = await new Inbox(setup.pool).list(ALL);
    expect(listed).toMatchObject([{ kind: 'blocked-todo', jobId, tenant: 'acme', todoId: 1 }, { kind: 'question' }]);
    expect((await engine.loadPhase(jobId, 2)).todos.list).toMatchObject([{ status: 'open', blocked: 'No access.' }]);
    // Rows that are rebuilt while something waits equal those before.
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
    const { calls } = await engine.loadPhase(jobId, 2);
    const asked = Object.values(calls.byId).find(({ name }) => name === 'ask_person')!;
    const { questionHash } = getAdmittedCall(calls, asked.callId).question!;
    await requestControl(engine, jobId, { action: 'answer', callId: asked.callId, questionHash, answer: 'yes' });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    await setup.waitUntilCaughtUp();
    expect(await new Inbox(setup.pool).list(ALL)).toEqual([]);
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
  });

  it('contains a fork that was made while its parent waited', async () => {
    await setup.startTail();
    const engine = createEngine('question');
    const jobId = await engine.submitAndRun();
    const position = (await setup.store.readCorrelation(jobId)).at(-1)!.position;
    const forks = new Forks({
      store: setup.store,
      repository: engine.repository,
      travel: new TimeTravel(setup.store, setup.pool),
      sender: { send: async () => undefined },
      clock: { now: () => new Date() },
    });
    const fork = (await forks.fork(jobId, { position, mode: 'live' }, ORIGIN))!.jobId;
    expect(await statusOf(fork)).toBe('waiting-for-input');
    await setup.waitUntilCaughtUp();
    expect((await new Inbox(setup.pool).list(ALL)).map((entry) => entry.jobId)).toEqual([jobId, fork]);
  });
});
