import { peoplePack } from '@phaseline/inline-packs';
import type { JobId } from '@phaseline/contracts';
import { getAdmittedCall } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import type { Engine, Policy } from './engine.js';
import { toolsWith } from './fork.fixture.js';
import { call, calls, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

const HOUR_MS = 3_600_000;
type Reply = ReturnType<typeof call>;
const ask = (rest: object = {}) => call('ask_person', { question: 'Which colour?', deadline: '8h', ...rest });
const options = { packs: [peoplePack], agent: { tools: toolsWith('ask_person') } };

/** A job whose second phase asks, with the last message of each prompt in `received`. */
function askingJob(reply: Reply | Reply[] = ask()) {
  const received: string[] = [];
  const policy = createThreePhasePolicy([reply].flat());
  const recording: Policy = (request, signal) => {
    received.push(request.messages.at(-1)!.content);
    return policy(request, signal);
  };
  return { subject: engine(recording, options), received };
}

async function questionOf(subject: Engine, jobId: JobId, callId = 'call_2_1_1') {
  const { calls: phaseCalls } = await subject.loadPhase(jobId, 2);
  return getAdmittedCall(phaseCalls, callId).question!;
}

async function answer(subject: Engine, jobId: JobId, given: unknown, changes: object = {}) {
  const { questionHash } = await questionOf(subject, jobId);
  return requestControl(subject, jobId, {
    action: 'answer',
    callId: 'call_2_1_1',
    questionHash,
    answer: given,
    ...changes,
  });
}

const questionEvents = async (subject: Engine, jobId: JobId) =>
  (await subject.eventTypes(jobId, 2)).filter((type) => type.startsWith('Question'));

describe('a question to a person', () => {
  it('waits without a message, a lease or a model call, and the job continues with the answer', async () => {
    const { subject, received } = askingJob();
    const jobId = await subject.submitAndRun();
    const prompts = received.length;
    await subject.reconciler.runPass(() => undefined);
    await subject.run(jobId);
    expect(received).toHaveLength(prompts);
    expect(subject.messages).toEqual([]);
    expect((await subject.loadPhase(jobId, 2)).modelCall.open).toBeUndefined();
    expect(await answer(subject, jobId, 'green')).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
    expect(received).toContain('ada answered: green');
    expect(await questionEvents(subject, jobId)).toEqual(['QuestionAsked', 'QuestionAnswered']);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('is answered once: a second answer is refused before and after the job continues', async () => {
    const { subject } = askingJob();
    const jobId = await subject.submitAndRun();
    await answer(subject, jobId, 'green');
    expect(await answer(subject, jobId, 'red')).toMatchObject({
      kind: 'refused',
      code: 'already_decided',
      reason: expect.stringContaining('ada'),
    });
    await subject.run(jobId);
    expect(await questionEvents(subject, jobId)).toEqual(['QuestionAsked', 'QuestionAnswered']);
  });

  it('refuses a second answer also in a later step, and after the job has ended', async () => {
    const { subject } = askingJob([ask(), ask({ question: 'Which size?' })]);
    const jobId = await subject.submitAndRun();
    const { questionHash } = await questionOf(subject, jobId);
    await answer(subject, jobId, 'green');
    await subject.run(jobId);
    const again = { action: 'answer', callId: 'call_2_1_1', questionHash, answer: 'red' };
    const alreadyDecided = {
      kind: 'refused',
      code: 'already_decided',
      reason: expect.stringContaining('call_2_1_1 was already answered by ada'),
    };
    expect(await questionEvents(subject, jobId)).toEqual(['QuestionAsked', 'QuestionAnswered', 'QuestionAsked']);
    expect(await requestControl(subject, jobId, again)).toMatchObject(alreadyDecided);
    subject.advanceTime(8 * HOUR_MS + 1);
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(await requestControl(subject, jobId, again)).toMatchObject(alreadyDecided);
    expect(await requestControl(subject, jobId, { ...again, callId: 'call_2_2_1' })).toMatchObject({
      kind: 'refused',
      code: 'deadline_passed',
    });
  });

  it('refuses an answer to another version, and to a call that asks nothing', async () => {
    const { subject } = askingJob();
    const jobId = await subject.submitAndRun();
    expect(await answer(subject, jobId, 'green', { questionHash: 'a'.repeat(64) })).toMatchObject({
      kind: 'refused',
      code: 'version_mismatch',
    });
    expect(await answer(subject, jobId, 'green', { callId: 'call_9' })).toMatchObject({
      kind: 'refused',
      code: 'not_waiting',
      reason: expect.stringContaining('call_2_1_1'),
    });
    expect(await questionEvents(subject, jobId)).toEqual(['QuestionAsked']);
  });

  it.each([
    ['an option that does not exist', { options: ['red', 'green'] }, 'blue', 'green'],
    [
      'a value that does not match the schema',
      { schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
      { n: 'many' },
      { n: 3 },
    ],
    ['an empty text', {}, ' ', 'green'],
  ])('refuses %s', async (_case, rest, bad, good) => {
    const { subject } = askingJob(ask(rest));
    const jobId = await subject.submitAndRun();
    expect(await answer(subject, jobId, bad)).toMatchObject({ kind: 'refused', code: 'invalid_answer' });
    expect(await answer(subject, jobId, good)).toEqual({ kind: 'recorded' });
  });

  it('refuses an answer after the deadline, even before the timer has fired', async () => {
    const { subject, received } = askingJob();
    const jobId = await subject.submitAndRun();
    subject.advanceTime(8 * HOUR_MS + 1);
    expect(await answer(subject, jobId, 'green')).toMatchObject({ kind: 'refused', code: 'deadline_passed' });
    await subject.run(jobId);
    expect(await questionEvents(subject, jobId)).toEqual(['QuestionAsked', 'QuestionTimedOut']);
    expect(received.join('\n')).toContain('Nobody answered before the deadline. Decide yourself');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('uses the default when nobody answers in time', async () => {
    const { subject, received } = askingJob(ask({ options: ['red', 'green'], default: 'red' }));
    const jobId = await subject.submitAndRun();
    subject.advanceTime(8 * HOUR_MS + 1);
    await subject.run(jobId);
    expect(received).toContain('Nobody answered before the deadline, so the default applies: red');
  });

  it.each([
    ['a default that is not an option', { options: ['red'], default: 'blue' }],
    ['a schema whose check could take forever', { schema: { type: 'string', pattern: '^(a+)+$' } }],
    ['a deadline in the past', { deadline: '2001-01-01T00:00:00Z' }],
    ['a deadline that means nothing', { deadline: 'soon' }],
  ])('is not asked with %s', async (_case, rest) => {
    const { subject, received } = askingJob(ask(rest));
    const jobId = await subject.submitAndRun();
    expect(await questionEvents(subject, jobId)).toEqual([]);
    expect(received.join('\n')).toContain('Not asked: ');
  });

  it('is asked together with its neighbours, and the phase continues after the last answer', async () => {
    const question = (text: string): [string, object] => ['ask_person', { question: text, deadline: '8h' }];
    const { subject } = askingJob(calls(question('Which colour?'), question('Which size?')));
    const jobId = await subject.submitAndRun();
    expect(await questionEvents(subject, jobId)).toEqual(['QuestionAsked', 'QuestionAsked']);
    const { questionHash } = await questionOf(subject, jobId, 'call_2_1_2');
    await answer(subject, jobId, 'large', { callId: 'call_2_1_2', questionHash });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('running');
    await answer(subject, jobId, 'green');
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('does not count as wall time, and moves the deadline by the time that it waited', async () => {
    const { subject } = askingJob();
    const jobId = await subject.submitAndRun({ budgets: { maxWallTimeMs: 60_000 } });
    const before = Date.parse((await subject.loadJob(jobId)).deadlineAt!);
    subject.advanceTime(5 * HOUR_MS);
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('running');
    await answer(subject, jobId, 'green');
    const after = Date.parse((await subject.loadJob(jobId)).deadlineAt!);
    expect(after - before).toBeGreaterThanOrEqual(5 * HOUR_MS);
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('does not move the deadline twice when the job was also paused', async () => {
    const { subject } = askingJob();
    const jobId = await subject.submitAndRun({ budgets: { maxWallTimeMs: 60_000 } });
    const before = Date.parse((await subject.loadJob(jobId)).deadlineAt!);
    subject.advanceTime(HOUR_MS);
    await requestControl(subject, jobId, { action: 'pause' });
    subject.advanceTime(HOUR_MS);
    await requestControl(subject, jobId, { action: 'resume' });
    subject.advanceTime(HOUR_MS);
    await answer(subject, jobId, 'green');
    const moved = Date.parse((await subject.loadJob(jobId)).deadlineAt!) - before;
    expect(moved).toBeGreaterThanOrEqual(3 * HOUR_MS);
    expect(moved).toBeLessThan(3.5 * HOUR_MS);
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('may be answered while the job is paused, and the job continues after the resume', async () => {
    const { subject } = askingJob();
    const jobId = await subject.submitAndRun();
    await requestControl(subject, jobId, { action: 'pause' });
    expect(await answer(subject, jobId, 'green')).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('paused');
    await requestControl(subject, jobId, { action: 'resume' });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('ends with its job when the job is cancelled, and takes no answer after that', async () => {
    const { subject } = askingJob();
    const jobId = await subject.submitAndRun();
    await requestControl(subject, jobId, { action: 'cancel' });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('cancelled');
    expect(await answer(subject, jobId, 'green')).toMatchObject({ kind: 'refused' });
    expect(await questionEvents(subject, jobId)).toEqual(['QuestionAsked']);
  });
});
