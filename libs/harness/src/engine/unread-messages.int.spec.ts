import type { JobId } from '@phaseline/contracts';
import { workflowSchema } from '@phaseline/domain';
import { ModelError } from '@phaseline/model';
import type { InlineTool } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestControl } from './control.fixture.js';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { code, feature, list, pass, playLoop } from './feature-loop.fixture.js';
import { positionOf, useForks } from './fork.fixture.js';
import { rule } from './guarded.fixture.js';
import { call, createThreePhasePolicy, parsePrompt } from './scripts.js';

const { opened, forkJob } = useForks();

const fail = (): never => {
  throw new ModelError('bad_request', 'no', { retryable: false, mayBeCharged: false, attempts: 1 });
};

/** Plays a job, and keeps for each call of the model the names of the messages that its prompt contains, in order. */
function play(policy: Policy = createThreePhasePolicy(), options: Partial<EngineOptions> = {}) {
  const received: string[] = [];
  const shown = new Map<number, string[]>();
  const noting: Policy = (request, signal) => {
    const texts = request.messages.map(({ content }) => content ?? '').join('\n');
    const names = [...texts.matchAll(/Message from ada: (\w+)/g)].map(([, name]) => name!);
    const { phase } = parsePrompt(request);
    received.push(`${phase}: ${names.join(' ')}`);
    shown.set(phase, names);
    return policy(request, signal);
  };
  const subject = new Engine({ store: opened.store, policy: noting, retries: 0, ...options });
  return { subject, received, shown };
}

const say = (subject: Engine, jobId: JobId, message: string) =>
  requestControl(subject, jobId, { action: 'steer', message });

const readSent = async (subject: Engine, jobId: JobId, phase: number) =>
  ((await subject.phaseEvents(jobId, phase))[0]!.data['notices'] as string[] | undefined) ?? [];

describe('a message of a person that no model has read', () => {
  it('reaches the attempt after one that failed before its first answer, in order and once', async () => {
    let isDown = true;
    const three = createThreePhasePolicy();
    const { subject, received } = play((request, signal) => (isDown ? fail() : three(request, signal)));
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    await say(subject, jobId, 'one');
    await say(subject, jobId, 'two');
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('failed');
    await requestControl(subject, jobId, { action: 'retry' });
    await subject.run(jobId);
    // That attempt fails too: what it received from the job is as unread as what was sent to it.
    await requestControl(subject, jobId, { action: 'retry' });
    isDown = false;
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(received.slice(0, 5)).toEqual(['1: one two', '2: one two', '3: one two', '4: ', '5: ']);
  });

  it('reaches the attempt after one that failed later, without those that were read', async () => {
    let jobId = '' as JobId;
    let attempts = 0;
    const { subject, shown } = play(
      createThreePhasePolicy(async (request) => {
        const { turn } = parsePrompt(request);
        if (turn === 0) return call('read_file', { path: 'instructions.md' });
        attempts += 1;
        if (attempts > 1) return call('todo_complete');
        // It arrives while the call that fails is open, which therefore does not contain it.
        await say(subject, jobId, 'three');
        return fail();
      }),
      { retries: 1 },
    );
    jobId = await subject.submit();
    await subject.driver.advance(jobId);
    await say(subject, jobId, 'one');
    await subject.run(jobId);
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'failed', notices: ['Message from ada: three'] });
    await requestControl(subject, jobId, { action: 'retry' });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect([...shown]).toEqual([
      [1, ['one']],
      [2, []],
      [3, ['three']],
      [4, []],
    ]);
  });

  it('waits for the retry together with messages that were sent after the failure', async () => {
    let isDown = true;
    const three = createThreePhasePolicy();
    const { subject, received } = play((request, signal) => (isDown ? fail() : three(request, signal)));
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    await say(subject, jobId, 'one');
    await subject.run(jobId);
    isDown = false;
    await requestControl(subject, jobId, { action: 'retry' });
    await say(subject, jobId, 'two');
    await subject.run(jobId);
    expect(received.slice(0, 3)).toEqual(['1: one', '2: one two', '3: ']);
  });

  it('is read with the first answer after a takeover', async () => {
    const { subject, received } = play();
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    await say(subject, jobId, 'one');
    const lost = subject.worker('lost', () => {
      throw new Error('the process ends');
    });
    const runner = subject.toolRunner();
    await expect(subject.deliver(subject.messages[0]!, lost, runner)).rejects.toThrow('the process ends');
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(received.slice(0, 2)).toEqual(['1: one', '2: ']);
  });

  it('reaches the phase after a receiver of a handoff that was stopped', async () => {
    const { engine, prompts } = playLoop(opened.store, {
      script: { 1: [list(feature('a'))], 2: [code('a')], 3: [pass()], 4: [code('a')], 5: [pass()] },
      changes: { coded: { handoff: { timeoutMs: 60_000 } } },
      // Its first call waits for a person, so that no second prompt contains the message.
      tester: { approvals: { tools: ['read_file'], expireAfterMs: 10_000_000 } },
    });
    const jobId = await engine.submitAndRun();
    await say(engine, jobId, 'one');
    engine.advanceTime(60_001);
    await engine.run(jobId);
    expect((await engine.loadPhase(jobId, 3)).end).toMatchObject({ kind: 'cancelled' });
    const containing = [...prompts].filter(([, texts]) => texts.some((text) => text.includes('Message from ada: one')));
    expect(containing.map(([phase]) => phase)).toEqual([4]);
  });

  it('is decided by guards again in the next attempt, and a refused one reaches no model', async () => {
    let isDown = true;
    const three = createThreePhasePolicy();
    const guard = rule(
      'no-secrets',
      { prompt: { matches: 'secret' } },
      { deny: 'no' },
      { points: ['UserPromptSubmit'] },
    );
    const { subject, received } = play((request, signal) => (isDown ? fail() : three(request, signal)), {
      guards: [guard],
    });
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    for (const message of ['one', 'secret', 'two']) await say(subject, jobId, message);
    await subject.run(jobId);
    isDown = false;
    await requestControl(subject, jobId, { action: 'retry' });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(received.slice(0, 3)).toEqual(['1: one two', '2: one two', '3: ']);
    const decided = (await subject.phaseEvents(jobId, 2)).filter(({ type }) => type === 'MomentDecided');
    // The task was decided about in the first attempt.
    expect(decided.map(({ data }) => [data['prompt'], 'refusal' in data])).toEqual([
      ['message', false],
      ['message', true],
      ['message', false],
    ]);
  });

  it('is as unread in a fork as it was where the fork begins', async () => {
    let failsFrom = 1;
    const { subject, received } = play((request) => {
      if (parsePrompt(request).turn >= failsFrom) return fail();
      return call('read_file', { path: 'instructions.md' });
    });
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    await say(subject, jobId, 'one');
    await subject.run(jobId);
    const events = await opened.store.readCorrelation(jobId);
    const runFork = async (type: string, nth = 0) => {
      const fork = await forkJob(subject, jobId, { position: positionOf(events, type, nth) });
      await subject.run(fork);
      return (await subject.loadJob(fork)).notices;
    };
    failsFrom = 0;
    received.length = 0;
    expect(await runFork('PhaseSteered')).toEqual(['Message from ada: one']);
    // The reservation of the second call is the last event of the commit that contains the first answer.
    expect(await runFork('ModelCallStarted', 1)).toEqual([]);
    expect(received).toEqual(['1: one', '1: one']);
  });
});

describe('a phase without a model', () => {
  const pass: InlineTool = {
    name: 'pass',
    lane: 'inline',
    description: '',
    traits: ['system', 'not_nestable'],
    input: z.object({}),
    result: z.strictObject({ outcome: z.string() }),
    run: () => Promise.resolve({ content: '', result: { outcome: 'passed' } }),
  };

  it('hands the messages that it received to the next phase in which a model works', async () => {
    const state = (title: string, to: object) => ({
      kind: 'strategic',
      title,
      controller: { tool: 'pass' },
      outcomes: { passed: to },
    });
    const workflow = workflowSchema.parse({
      name: 'passing',
      version: 1,
      start: 'first',
      states: {
        first: state('First', { to: 'second' }),
        second: state('Second', { to: 'work' }),
        work: {
          kind: 'strategic',
          title: 'Work',
          todos: ['Look'],
          finish: 'done',
          outcomes: { done: { end: 'completed' } },
        },
      },
    });
    const { subject, received } = play(() => call('todo_complete'), {
      workflow,
      packs: [{ name: 'passing', tools: [pass] }],
      agent: { tools: { workspace: ['read_file'], strategic: ['todo_complete'], tactical: [], domain: [] } },
    });
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    await say(subject, jobId, 'one');
    await say(subject, jobId, 'two');
    await subject.run(jobId);
    expect(await readSent(subject, jobId, 2)).toEqual(['Message from ada: one', 'Message from ada: two']);
    expect(received[0]).toBe('3: one two');
    expect((await subject.loadJob(jobId)).notices).toEqual([]);
  });
});
