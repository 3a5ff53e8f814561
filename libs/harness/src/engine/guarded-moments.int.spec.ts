import { ModelError } from '@phaseline/model';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import { positionOf, useForks } from './fork.fixture.js';
import { CLAIM, command, createHooks, playGuarded, rule, script, WRITE, type GuardedPlay } from './guarded.fixture.js';
import { runLosingProcesses } from './lost-processes.fixture.js';

const { opened, replay, outcomeOf } = useForks();

function play(given: GuardedPlay, answers: Parameters<typeof createHooks>[0] = {}) {
  const { pack, asked } = createHooks(answers);
  return { ...playGuarded(opened.store, { ...given, packs: [pack] }), asked };
}

const noPasswords = rule(
  'no-passwords',
  { prompt: { matches: 'password' } },
  { deny: 'it names a password', suggest: 'Leave it out.' },
  { points: ['UserPromptSubmit'] },
);

/** How often a prompt contains a text. */
const count = (text: string | undefined, part: string) => (text ?? '').split(part).length - 1;

describe('a guard at SessionStart', () => {
  it('adds context to the first prompt of the phase, as data', async () => {
    const guard = rule('house', {}, { context: 'Cite sources in {state}.' }, { points: ['SessionStart'] });
    const { engine, seen, readEvents } = play({ guards: [guard] });
    const jobId = await engine.submitAndRun();
    const text =
      'The guard house adds this context, as data and not as an instruction of a person:\nCite sources in work.';
    expect(seen.map((prompt) => count(prompt, text))).toEqual([1, 1]);
    expect((await readEvents(jobId)).slice(0, 5).map(({ type }) => type)).toEqual([
      'PhaseStarted',
      'FileWritten',
      'GuardDecided',
      'MomentDecided',
      'ModelCallStarted',
    ]);
  });

  it('of the kind command is run before the model is called, and learns why the phase begins', async () => {
    const { engine, seen, asked, readEvents } = play(
      { guards: [command('hello', ['SessionStart'])] },
      { hello: [{ decision: 'context', context: 'a greeting' }] },
    );
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked).toEqual([{ point: 'SessionStart', guards: ['hello'], occasion: { source: 'startup' } }]);
    expect(seen.map((prompt) => count(prompt, 'a greeting'))).toEqual([1, 1]);
    const types = (await readEvents(jobId)).map(({ type }) => type);
    expect(types.slice(2, 9)).toEqual([
      'GuardsAwaited',
      'ToolCallRequested',
      'ToolCallCompleted',
      'GuardDecided',
      'GuardsSettled',
      'MomentDecided',
      'ModelCallStarted',
    ]);
  });

  it('cannot refuse: what it decides otherwise is recorded without effect', async () => {
    const guard = script('no', ['SessionStart'], '() => ({ decision: "deny", reason: "no" })');
    const { engine, readEvents } = play({ guards: [guard] });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect((await readEvents(jobId, 'GuardDecided'))[0]!.data).toMatchObject({
      decision: 'allow',
      failure: { code: 'guard_effect' },
    });
  });
});

describe('a guard at UserPromptSubmit', () => {
  it('fails a job whose task it refuses before any call of a model', async () => {
    const guard = rule('no-task', { prompt: { exists: true } }, { deny: 'not here' }, { points: ['UserPromptSubmit'] });
    const { engine, seen, readEvents } = play({ guards: [guard] });
    const jobId = await engine.submitAndRun();
    const { status, failure } = await engine.loadJob(jobId);
    expect([status, failure]).toMatchObject([
      'failed',
      { code: 'guard_refused', message: expect.stringContaining('the guard no-task refuses the task: not here') },
    ]);
    expect(seen).toEqual([]);
    expect((await readEvents(jobId, 'ModelCallStarted')).length).toBe(0);
    // A person who retries the job does not get past the guard.
    await requestControl(engine, jobId, { action: 'retry', reason: 'again' });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).failure?.code).toBe('guard_refused');
    expect((await engine.loadJob(jobId)).phases).toBe(2);
    expect(seen).toEqual([]);
  });

  it('keeps a refused message of a person from the model, and lets others pass', async () => {
    const { engine, seen, readEvents } = play({ guards: [noPasswords], replies: [WRITE, WRITE, WRITE, CLAIM] });
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    await engine.driver.control(jobId, { action: 'steer', actor: 'ann', message: 'the password is 123' });
    await engine.driver.control(jobId, { action: 'steer', actor: 'ann', message: 'Be brief.' });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(seen.some((prompt) => prompt.includes('123'))).toBe(false);
    expect(seen.map((prompt) => count(prompt, 'Message from ann: Be brief.'))).toEqual([1, 1, 1, 1]);
    expect((await readEvents(jobId, 'MomentDecided')).map(({ data }) => data)).toEqual([
      { point: 'UserPromptSubmit', prompt: 'task' },
      {
        point: 'UserPromptSubmit',
        prompt: 'message',
        refusal: { guard: 'no-passwords', reason: 'it names a password\nLeave it out.' },
      },
      { point: 'UserPromptSubmit', prompt: 'message' },
    ]);
    expect((await readEvents(jobId, 'PhaseSteered')).length).toBe(2);
  });

  it('of the kind command holds a message back until it has decided, once', async () => {
    const { engine, seen, asked, readEvents } = play(
      { guards: [command('ask', ['UserPromptSubmit'])] },
      { ask: [undefined, { decision: 'deny', reason: 'no' }, { decision: 'context', context: 'more' }] },
    );
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    await engine.driver.control(jobId, { action: 'steer', actor: 'ann', message: 'one' });
    await engine.driver.control(jobId, { action: 'steer', actor: 'ann', message: 'two' });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.slice(1).map(({ occasion }) => occasion)).toEqual([{ prompt: 'one' }, { prompt: 'two' }]);
    expect(seen.map((prompt) => count(prompt, 'Message from ann: two'))).toEqual([1, 1]);
    expect(seen.map((prompt) => count(prompt, 'adds this context'))).toEqual([1, 1]);
    expect(seen.some((prompt) => prompt.includes('Message from ann: one'))).toBe(false);
    expect((await readEvents(jobId, 'GuardDecided')).length).toBe(2);
  });
});

describe('a message that arrives during an attempt of a model call that fails', () => {
  it('is not part of the next attempt before guards have decided about it', async () => {
    const sent: string[] = [];
    const { pack, asked } = createHooks({});
    const steered: (() => Promise<unknown>)[] = [];
    const { engine } = playGuarded(opened.store, {
      packs: [pack],
      guards: [command('ask', ['UserPromptSubmit'])],
      policy: async (request) => {
        sent.push(request.messages.map(({ content }) => content).join('\n'));
        if (sent.length > 1) return sent.length === 2 ? WRITE : CLAIM;
        await steered[0]!();
        throw new ModelError('server_error', 'busy', { retryable: true, mayBeCharged: true, attempts: 1 });
      },
    });
    const jobId = await engine.submit();
    steered.push(() => engine.driver.control(jobId, { action: 'steer', actor: 'ann', message: 'Be brief.' }));
    await engine.driver.advance(jobId);
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.map(({ occasion }) => occasion?.prompt).at(-1)).toBe('Be brief.');
    expect(sent.map((prompt) => count(prompt, 'Be brief.'))).toEqual([0, 0, 1]);
  });
});

describe('moments with guards', () => {
  const guards = [
    command('begin', ['SessionStart']),
    command('ask', ['UserPromptSubmit']),
    rule('house', {}, { context: 'house rules' }, { points: ['SessionStart', 'UserPromptSubmit'] }),
  ];
  const answers = {
    begin: [{ decision: 'context', context: 'hello' }],
    ask: [{ decision: 'context', context: 'seen' }],
  };

  it('are decided once, wherever workers and tool-runners are lost', async () => {
    const { engine, asked, seen, readEvents } = play({ guards }, answers);
    const jobId = await runLosingProcesses(engine);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.map(({ point }) => point)).toEqual(['SessionStart', 'UserPromptSubmit']);
    expect((await readEvents(jobId, 'GuardDecided', 'MomentDecided')).map(({ type }) => type)).toEqual([
      'GuardDecided',
      'GuardDecided',
      'MomentDecided',
      'GuardDecided',
      'GuardDecided',
      'MomentDecided',
    ]);
    expect(count(seen[0], 'adds this context')).toBe(4);
  });

  it('are repeated by a recorded fork, which asks none', async () => {
    const { engine, asked } = play({ guards }, answers);
    const jobId = await engine.submitAndRun();
    const before = asked.length;
    const position = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    expect(await replay(engine, jobId, position)).toEqual(await outcomeOf(jobId));
    expect(asked.length).toBe(before);
  });
});
