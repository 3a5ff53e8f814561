import { readFile } from 'node:fs/promises';
import type { JobId } from '@phaseline/contracts';
import { getAdmittedCall, workflowSchema } from '@phaseline/domain';
import { memoryPack, peoplePack } from '@phaseline/inline-packs';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import type { Engine, Policy } from './engine.js';
import { toolsWith } from './fork.fixture.js';
import { doPlanningTodo } from './planning-todo.js';
import { call, DO_THE_TODO, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

const HOUR_MS = 3_600_000;
const ask = (question = 'Which colour?', rest: object = {}) =>
  call('ask_person', { question, deadline: '8h', ...rest });
const options = { packs: [peoplePack, memoryPack], agent: { tools: toolsWith('ask_person') } };

async function answer(subject: Engine, jobId: JobId, phase: number, given: string, callId = `call_${phase}_1_1`) {
  const { calls: phaseCalls } = await subject.loadPhase(jobId, phase);
  const { questionHash } = getAdmittedCall(phaseCalls, callId).question!;
  return requestControl(subject, jobId, { action: 'answer', callId, questionHash, answer: given });
}

describe('a question of a phase that is tried again', () => {
  it('is asked again by the new attempt, and answers reach the attempt that asked', async () => {
    const received: string[] = [];
    const policy = createThreePhasePolicy((request) => {
      const { phase, turn, last } = parsePrompt(request);
      received.push(`${phase}: ${last}`);
      if (turn === 0) return ask();
      // The first attempt stops early and fails.
      return phase === 2 ? {} : DO_THE_TODO;
    });
    const subject = engine(policy, { ...options, retries: 1, agent: { ...options.agent, limits: { nudges: 0 } } });
    const jobId = await subject.submitAndRun();
    const { questionHash } = getAdmittedCall((await subject.loadPhase(jobId, 2)).calls, 'call_2_1_1').question!;
    expect(await answer(subject, jobId, 2, 'green')).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
    expect((await subject.loadPhase(jobId, 2)).end).toMatchObject({ kind: 'failed' });
    const old = { action: 'answer', callId: 'call_2_1_1', questionHash, answer: 'red' };
    expect(await requestControl(subject, jobId, old)).toMatchObject({ code: 'already_decided' });
    expect(await answer(subject, jobId, 3, 'blue')).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
    expect(received).toContain('2: ada answered: green');
    expect(received).toContain('3: ada answered: blue');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });
});

describe('a question of a todo list that is rewound', () => {
  it('is answered before the rewind takes effect, and its answer is in the log of that phase', async () => {
    const file = new URL('../../../../workflows/phase-alternation.yaml', import.meta.url);
    const workflow = workflowSchema.parse(load(await readFile(file, 'utf8')));
    const policy: Policy = (request) => {
      const { phase, kind } = parsePrompt(request);
      if (phase === 2)
        return calls(
          ['ask_person', { question: 'Which colour?', deadline: '8h' }],
          ['todo_rewind', { issue: 'Nothing has a colour.' }],
        );
      const progress = /Progress: (\d+) of (\d+) done/.exec(request.messages[1]?.content ?? '');
      const open = Number(progress?.[2] ?? 0) - Number(progress?.[1] ?? 0);
      if (kind === 'tactical') return DO_THE_TODO;
      if (open > 1) return doPlanningTodo(request);
      return calls(
        ['todo_write', { phase: 'The work', description: 'Do it.', todos: [{ content: 'Do it' }] }],
        ['todo_complete'],
      );
    };
    const tools = { ...toolsWith('ask_person'), tactical: ['todo_complete', 'todo_rewind'] };
    const subject = engine(policy, { ...options, agent: { tools }, workflow });
    const jobId = await subject.submitAndRun();
    expect((await subject.loadPhase(jobId, 2)).end).toBeUndefined();
    expect(await answer(subject, jobId, 2, 'green')).toEqual({ kind: 'recorded' });
    await subject.run(jobId, { messages: 1 });
    expect((await subject.loadPhase(jobId, 2)).end).toMatchObject({ kind: 'completed', outcome: 'rewound' });
    const results = (await subject.phaseEvents(jobId, 2)).filter(({ type }) => type === 'ToolCallCompleted');
    expect(results.map(({ data }) => data['content'])).toContain('ada answered: green');
    expect(await answer(subject, jobId, 2, 'red')).toMatchObject({ code: 'already_decided' });
  });
});

describe('a deadline that passes while everything is down', () => {
  it.each([
    ['a question', ask('Which colour?', { default: 'red' }), 'the default applies: red'],
    ['an approval', call('write_file', { path: 'a.md', content: 'x' }), 'the approval expired'],
  ])('ends the wait of %s when the services start again', async (_kind, reply, fragment) => {
    const received: string[] = [];
    const policy: Policy = (request, signal) => {
      received.push(request.messages.at(-1)!.content);
      return createThreePhasePolicy([reply])(request, signal);
    };
    const approvals = { tools: ['write_file'], expireAfterMs: HOUR_MS };
    const settings = { ...options, agent: { ...options.agent, approvals } };
    const jobId = await engine(policy, settings).submitAndRun();
    // Another process, which has received no message about the job.
    const restarted = engine(policy, settings);
    restarted.advanceTime(9 * HOUR_MS);
    await restarted.reconcile();
    await restarted.run(jobId);
    expect(received.join('\n')).toContain(fragment);
    expect((await restarted.loadJob(jobId)).status).toBe('completed');
  });
});

describe('hostile and very long texts', () => {
  const hostile = '\u001b]0;owned\u0007\u001b[2J<script>alert(1)</script>\u202e; rm -rf /';

  it('are kept exactly as they are, in the question and in the answer', async () => {
    const received: string[] = [];
    const policy: Policy = (request, signal) => {
      received.push(request.messages.at(-1)!.content);
      return createThreePhasePolicy([ask(hostile)])(request, signal);
    };
    const subject = engine(policy, options);
    const jobId = await subject.submitAndRun();
    const question = getAdmittedCall((await subject.loadPhase(jobId, 2)).calls, 'call_2_1_1').question!;
    expect(question.question).toBe(hostile);
    expect(await answer(subject, jobId, 2, hostile)).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
    expect(received).toContain(`ada answered: ${hostile}`);
  });

  it('of more than 4,000 characters are refused: the model is told, and nothing is asked', async () => {
    const received: string[] = [];
    const policy: Policy = (request, signal) => {
      received.push(request.messages.at(-1)!.content);
      return createThreePhasePolicy([ask('x'.repeat(5_000))])(request, signal);
    };
    const subject = engine(policy, options);
    const jobId = await subject.submitAndRun();
    expect((await subject.eventTypes(jobId, 2)).includes('QuestionAsked')).toBe(false);
    expect(received.join('\n')).toContain('question: Too big: expected string to have <=4000 characters');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });
});
