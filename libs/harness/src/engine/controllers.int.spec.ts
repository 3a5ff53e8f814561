import { ToolError, type JobId } from '@phaseline/contracts';
import { getAdmittedCall, workflowSchema } from '@phaseline/domain';
import { defineRemoteTool, type InlineTool, type InlineToolOutcome } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestControl } from './control.fixture.js';
import type { Engine, EngineOptions, Policy, Reply } from './engine.js';
import { call, calls, parsePrompt } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

const write = (content: string): [string, object] => ['write_file', { path: 'draft.md', content }];

const decision = z.strictObject({ outcome: z.string() });

/** A controller that runs inside the worker. */
const inline = (name: string, run: InlineTool['run']): InlineTool => ({
  name,
  lane: 'inline',
  description: '',
  traits: ['system', 'not_nestable'],
  input: z.object({}),
  result: decision,
  run,
});

const judge = inline('judge_draft', async ({ workspace }) => {
  const text = new TextDecoder().decode(await workspace.read('draft.md'));
  if (text.includes('error')) throw new ToolError('unreadable', 'The draft cannot be read.');
  if (text.includes('odd')) return { content: '', result: { outcome: 'odd' } };
  return text.includes('good') ? { content: '', result: { outcome: 'drafted' } } : { content: 'Write a good draft.' };
});

const ask = inline('ask_whether_done', async ({ state, callId, now }): Promise<InlineToolOutcome> => {
  const { question } = getAdmittedCall(state.calls, callId);
  const deadlineAt = new Date(now.getTime() + 60_000);
  if (!question) return { content: '', question: { question: 'Done?', options: ['yes', 'no'], deadlineAt } };
  const isDone = question.end?.kind === 'answered' && question.end.answer === 'yes';
  return { content: '', result: { outcome: isDone ? 'accepted' : 'rejected' } };
});

/** A job that drafts, validates without a model, and asks a person without a model. */
const workflow = (draft: object = {}) =>
  workflowSchema.parse({
    name: 'controlled',
    version: 1,
    start: 'draft',
    states: {
      draft: {
        kind: 'strategic',
        title: 'Draft',
        objective: 'Write draft.md.',
        controller: { tool: 'judge_draft', after: [{ call: { tool: 'write_file' } }] },
        outcomes: { drafted: { to: 'validate' } },
        ...draft,
      },
      validate: {
        kind: 'strategic',
        title: 'Validate',
        controller: { tool: 'validate_draft', arguments: { file: 'draft.md' } },
        outcomes: { valid: { to: 'ask' }, invalid: { to: 'draft' } },
      },
      ask: {
        kind: 'strategic',
        title: 'Ask',
        controller: { tool: 'ask_whether_done' },
        outcomes: { accepted: { end: 'completed' }, rejected: { to: 'draft' } },
      },
    },
  });

/** Plays the answers of the model in the order in which it is asked, and keeps the last message of each prompt. */
function play(replies: readonly Reply[], options: Partial<EngineOptions> = {}) {
  const received: string[] = [];
  const validated: unknown[] = [];
  const validate = defineRemoteTool({
    name: 'validate_draft',
    description: '',
    traits: ['system', 'not_nestable'],
    effect: 'pure',
    timeoutMs: 10_000,
    input: z.object({ file: z.string() }),
    result: decision,
    run: async ({ workspace }, input) => {
      validated.push(input);
      const text = new TextDecoder().decode(await workspace.read(input.file));
      return { content: '', result: { outcome: text.includes('bad') ? 'invalid' : 'valid' } };
    },
  });
  const policy: Policy = (request) => {
    const reply = replies[received.length] ?? { content: 'I have nothing to say.' };
    received.push(parsePrompt(request).last);
    return reply;
  };
  const packs = [{ name: 'controllers', tools: [judge, ask, validate] }];
  const tools = { workspace: ['write_file', 'read_file'], strategic: [], tactical: [], domain: [] };
  return {
    subject: engine(policy, { packs, agent: { tools }, workflow: workflow(), ...options }),
    received,
    validated,
  };
}

async function answer(subject: Engine, jobId: JobId, phase: number, given: string) {
  const callId = `decision_${phase}_1`;
  const { question } = getAdmittedCall((await subject.loadPhase(jobId, phase)).calls, callId);
  await requestControl(subject, jobId, {
    action: 'answer',
    callId,
    questionHash: question!.questionHash,
    answer: given,
  });
  await subject.run(jobId);
}

/** Types of the events of a phase after its start, without what the system writes to the memory. */
const listTypes = async (subject: Engine, jobId: JobId, phase: number) =>
  (await subject.eventTypes(jobId, phase)).slice(1).filter((type) => type !== 'FileWritten');

describe('a phase with a controller', () => {
  it('ends by the recorded decision, which is its evidence; without preparation no model is called', async () => {
    const { subject, received, validated } = play([calls(write('a good draft'))]);
    const jobId = await subject.submitAndRun();
    expect(received).toHaveLength(1);
    expect(validated).toEqual([{ file: 'draft.md' }]);
    const drafted = await subject.phaseEvents(jobId, 1);
    const decided = drafted.findIndex(({ data }) => (data as { callId?: string }).callId === 'decision_1_1');
    expect(drafted.slice(decided).map(({ type }) => type)).toEqual([
      'ToolCallRequested',
      'ToolCallCompleted',
      'PhaseCompleted',
    ]);
    expect(drafted.at(-1)!.data).toMatchObject({
      outcome: 'drafted',
      evidence: [{ events: [{ version: decided + 2 }] }],
    });
    expect(await listTypes(subject, jobId, 2)).toEqual(['ToolCallRequested', 'ToolCallCompleted', 'PhaseCompleted']);
  });

  it('waits for a person without a model, and follows the answer', async () => {
    const { subject, received } = play([calls(write('a good draft')), calls(write('a good and better draft'))]);
    const jobId = await subject.submitAndRun();
    expect(await listTypes(subject, jobId, 3)).toEqual(['ToolCallRequested', 'QuestionAsked']);
    await subject.reconciler.runPass(() => undefined);
    await subject.run(jobId);
    expect(subject.messages).toEqual([]);
    await answer(subject, jobId, 3, 'no');
    expect(received).toHaveLength(2);
    await answer(subject, jobId, 6, 'yes');
    expect(received).toHaveLength(2);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('continues with what the controller says if it names no outcome, and decides again after new work', async () => {
    const reading = call('read_file', { path: 'draft.md' });
    const { subject, received } = play([calls(write('a draft')), reading, calls(write('a good draft'))]);
    const jobId = await subject.submitAndRun();
    expect(received[1]).toBe('Write a good draft.');
    // Reading is not what the controller waits for.
    expect((await subject.phaseEvents(jobId, 1)).filter(({ type }) => type === 'TransitionRejected')).toMatchObject([
      { data: { gate: 'controller' } },
    ]);
    expect((await subject.loadJob(jobId)).active).toMatchObject({ phase: 3 });
  });

  it('tells a model that stops what is missing', async () => {
    const { subject, received } = play([{ content: 'Done.' }, calls(write('a good draft'))]);
    await subject.submitAndRun();
    expect(received[1]).toMatch(/^The phase continues: a check failed/);
    expect(received[1]).toContain('write_file');
  });

  it('fails if its controller fails, names an unknown outcome, or does not exist', async () => {
    const failing = play([calls(write('an error')), calls(write('an error'))]);
    const failed = await failing.subject.submitAndRun();
    expect((await failing.subject.loadJob(failed)).failure).toMatchObject({ code: 'controller_failed' });
    expect(failing.received).toHaveLength(2);
    const odd = play([calls(write('an odd draft'))]);
    expect((await odd.subject.loadJob(await odd.subject.submitAndRun())).failure).toMatchObject({
      code: 'controller_failed',
      message: expect.stringContaining('outcome odd'),
    });
    const unknown = play([calls(write('a draft'))], {
      workflow: workflow({ controller: { tool: 'write_file', after: [{ call: { tool: 'write_file' } }] } }),
    });
    expect((await unknown.subject.loadJob(await unknown.subject.submitAndRun())).failure).toMatchObject({
      code: 'definition_missing',
    });
  });

  it('is decided by no call of a model', async () => {
    const { subject, received } = play([calls(['judge_draft'], write('a bad start')), calls(write('a good draft'))]);
    const jobId = await subject.submitAndRun();
    expect(received).toHaveLength(2);
    expect((await subject.phaseEvents(jobId, 1)).filter(({ type }) => type === 'ToolCallDenied')).toMatchObject([
      { data: { code: 'not_offered' } },
    ]);
  });

  it('is decided by a remote tool whose message was lost', async () => {
    let lost = 0;
    const { subject, validated } = play([calls(write('a good draft'))], {
      onSend: ({ queue }) => queue !== 'tools' || (lost += 1) > 1,
    });
    const jobId = await subject.submitAndRun();
    expect(validated).toEqual([]);
    subject.advanceTime(600_000);
    await subject.reconciler.runPass(() => undefined);
    await subject.run(jobId);
    expect(validated).toHaveLength(1);
    expect((await subject.loadJob(jobId)).active).toMatchObject({ phase: 3 });
  });
});

describe('a phase that failed', () => {
  const outcomes = {
    drafted: { to: 'validate' },
    skipped: { to: 'ask' },
    stopped: { end: 'aborted', code: 'over_budget' },
    given_up: { end: 'cancelled' },
  };
  const failing = (failures: object, replies: readonly Reply[] = []) =>
    play(replies, { workflow: workflow({ outcomes, failures, retries: 0 }) }).subject;

  it('has the outcome that its state names for the code', async () => {
    const odd = [calls(write('an odd draft'))];
    const continued = failing({ controller_failed: 'skipped' }, odd);
    expect((await continued.loadJob(await continued.submitAndRun())).active).toMatchObject({ state: 'ask' });
    const cancelled = failing({ stopped_early: 'stopped', other: 'given_up' }, odd);
    expect((await cancelled.loadJob(await cancelled.submitAndRun())).status).toBe('cancelled');
  });

  it('may end its job with a code of the workflow, also after a cap of the job', async () => {
    const subject = failing({ token_limit: 'stopped' });
    const job = await subject.loadJob(await subject.submitAndRun({ budgets: { maxTokens: 1 } }));
    expect(job).toMatchObject({ status: 'aborted', failure: { code: 'over_budget' } });
    expect(job.failure!.message).toContain('token limit');
  });
});
