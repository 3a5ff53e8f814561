import { countTokens } from '@phaseline/context';
import { ModelError, modelProfileSchema, type ChatModel } from '@phaseline/model';
import { describe, expect, it } from 'vitest';
import { MemoryLog } from '@phaseline/memory-log';
import { requestControl } from './control.fixture.js';
import { Engine, toChatAnswer, type EngineOptions, type Policy } from './engine.js';
import { code, fail, feature, list, pass, playLoop, report } from './feature-loop.fixture.js';
import { createReflectingPolicy, findSection, GROUNDED, isReflection, SECTION } from './reflexion.fixture.js';
import { call, DO_THE_TODO, parsePrompt } from './scripts.js';

const REFLECTS = { reflexion: true };
const PAID = ['ModelCallStarted', 'ReflectionRecorded', 'ModelCallStarted', 'ReflectionRecorded'];

/** Plays a job whose second phase fails once, and is tried again as its third one. */
async function play(parts: Parameters<typeof createReflectingPolicy>[0] = {}, options: Partial<EngineOptions> = {}) {
  const { policy, requests } = createReflectingPolicy(parts);
  const engine = new Engine({ store: new MemoryLog(Date.now), policy, agent: REFLECTS, retries: 1, ...options });
  const jobId = await engine.submitAndRun();
  return {
    ...{ engine, jobId, requests },
    status: async () => (await engine.loadJob(jobId)).status,
    third: await engine.phaseEvents(jobId, 3),
    /** The requests of the third phase, without those of the reflection. */
    work: () => requests.filter((request) => parsePrompt(request).phase === 3),
  };
}

const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);
const ofReflection = (events: readonly { readonly type: string }[]) =>
  typesOf(events).filter((type) => type.startsWith('Reflection'));

describe('an attempt after a failed phase', () => {
  it('begins with exactly two reserved calls, whose answers its first prompt contains', async () => {
    const { third, requests, work, status } = await play();
    expect(await status()).toBe('completed');
    expect(
      typesOf(third)
        .filter((type) => /^(?:Model|Reflection)/.test(type))
        .slice(0, 5),
    ).toEqual([...PAID, 'ModelCallStarted']);
    expect(
      third.filter(({ data }) => data['purpose'] === 'reflection').map(({ data }) => data['reservedMicroUsd']),
    ).toEqual([expect.any(Number), expect.any(Number)]);
    expect(requests.filter(isReflection)).toHaveLength(2);
    const { messages } = work()[0]!;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'system', 'user', 'user']);
    expect(messages[2]!.content).toBe(findSection(work()[0]!));
    for (const text of GROUNDED) expect(messages[2]!.content).toContain(text);
  });

  it('fails again without the reflection, and makes no other call', async () => {
    const { third, requests, status } = await play({}, { agent: {} });
    expect(await status()).toBe('failed');
    expect(ofReflection(third)).toEqual([]);
    expect(requests.filter(isReflection)).toEqual([]);
  });

  it('asks with the reason, calls and files of the attempt, and then with its own first answer', async () => {
    const { requests } = await play();
    const [first = '', second = ''] = requests.filter(isReflection).map(({ messages }) => messages[1]!.content);
    expect(first).toContain('It failed: the same call failed 5 times in the same way');
    expect(first).toContain('- read_file {"path":"missing.txt"} | failed');
    expect(first).not.toContain('<assumption>');
    expect(second).toContain(`<assumption>\n${GROUNDED[0]}\n</assumption>`);
  });

  it('counts the money and tokens of both calls, and no step', async () => {
    const { engine, jobId, third } = await play();
    const { spending } = (await engine.loadPhase(jobId, 3)).money;
    const costs = third.flatMap(({ data }) => (typeof data['costMicroUsd'] === 'number' ? [data['costMicroUsd']] : []));
    expect(spending.costMicroUsd).toBe(costs.reduce((sum, cost) => sum + cost, 0));
    expect(spending.steps).toBe(typesOf(third).filter((type) => type === 'ModelResponded').length);
    expect(costs).toHaveLength(spending.steps + 2);
  });

  it('refuses a reflection that names nothing of the attempt, and does not show it', async () => {
    const generic = ['I was careless.', 'I will be more careful next time.'];
    const { third, work, status } = await play({ answers: generic });
    expect(third.filter(({ type }) => type === 'ReflectionRecorded').map(({ data }) => data['refused'])).toEqual([
      undefined,
      'it names no call, file or test of the attempt',
    ]);
    expect(work().map(findSection)).toEqual(work().map(() => ''));
    expect(await status()).toBe('failed');
  });

  it('keeps the section whole, with at most 500 tokens, when the conversation is summarised', async () => {
    const answers = [
      `missing.txt ${'assumed that it is there '.repeat(300)}`,
      `missing.txt ${'look first '.repeat(300)}`,
    ];
    const context = { keepResults: 5, clearTokens: 12_000, summariseTokens: 2_500, todoList: 'after-system' as const };
    const prose = 'Each record is kept for ten years. ';
    const { third, work, status } = await play(
      {
        answers,
        work: (request) => {
          const { turn, last } = parsePrompt(request);
          if (turn > 0 && last.includes('part-9')) return DO_THE_TODO;
          const part = Number(/part-(\d+)/.exec(last)?.[1] ?? 0) + 1;
          return call('write_file', { path: `part-${part}.md`, content: prose.repeat(40) });
        },
      },
      { agent: { ...REFLECTS, context } },
    );
    expect(typesOf(third)).toContain('ConversationSummarised');
    expect(await status()).toBe('completed');
    const sections = new Set(work().map(findSection));
    expect(sections.size).toBe(1);
    expect(countTokens([...sections][0]!)).toBeLessThanOrEqual(500);
    expect(countTokens([...sections][0]!)).toBeGreaterThan(400);
  });

  it('continues without a reflection when a call of it fails', async () => {
    const reflect = () => {
      throw new ModelError('bad_request', 'no such request', { retryable: false, mayBeCharged: false, attempts: 1 });
    };
    const { third } = await play({ reflect });
    expect(
      typesOf(third)
        .filter((type) => /^(?:Model|Reflection)/.test(type))
        .slice(0, 4),
    ).toEqual([...['ModelCallStarted', 'ModelCallFailed', 'ReflectionSkipped', 'ModelCallStarted']]);
    expect(third.at(-1)).toMatchObject({ type: 'PhaseFailed', data: { code: 'repeated_failure' } });
  });

  it('continues without a reflection when a budget does not allow its call, until it does not allow a step either', async () => {
    const { policy, requests } = createReflectingPolicy();
    // Answers of this model are shorter than a reflection may be, so that a step costs less than a call of the reflection.
    const profile = modelProfileSchema.parse({ name: 'default', model: 'scripted', maxOutputTokens: 16 });
    const complete: ChatModel['complete'] = async (request, { signal }) => toChatAnswer(await policy(request, signal));
    const agent = { ...REFLECTS, tools: { workspace: ['read_file'] } };
    const { engine, jobId } = await play(
      {},
      { model: { profile, model: { complete }, contextTokens: 100_000 }, agent, retries: 0 },
    );
    const { spending } = await engine.loadJob(jobId);
    await requestControl(engine, jobId, {
      action: 'retry',
      budgets: { maxTokens: spending.inputTokens + spending.outputTokens + 1_300 },
    });
    await engine.run(jobId);
    const third = await engine.phaseEvents(jobId, 3);
    expect(third.find(({ type }) => type === 'ReflectionSkipped')?.data).toMatchObject({
      part: 'assumption',
      code: 'token_limit',
    });
    expect(
      typesOf(third)
        .filter((type) => /^(?:Model|Reflection|PhaseF)/.test(type))
        .slice(0, 3),
    ).toEqual([...['ReflectionSkipped', 'ModelCallStarted', 'ModelResponded']]);
    expect(third.at(-1)).toMatchObject({ type: 'PhaseFailed', data: { code: 'token_limit' } });
    expect(requests.filter(isReflection)).toEqual([]);
  });

  it('makes no third call when a worker dies during one', async () => {
    let lost = false;
    const { policy, requests } = createReflectingPolicy({
      reflect: () => {
        if (lost) return { content: GROUNDED[requests.filter(isReflection).length % 2]! };
        lost = true;
        return new Promise<never>(() => undefined);
      },
    });
    const engine = new Engine({ store: new MemoryLog(Date.now), policy, agent: REFLECTS, retries: 1 });
    const jobId = await engine.submit();
    void engine.run(jobId);
    await engine.waitUntilQuiet(jobId);
    engine.alive.delete('worker');
    engine.alive.add('other');
    await engine.reconcile();
    await engine.run(jobId, { worker: engine.worker('other') });
    const third = await engine.phaseEvents(jobId, 3);
    expect(
      typesOf(third)
        .filter((type) => /^(?:Model|Reflection|PhaseTaken)/.test(type))
        .slice(0, 6),
    ).toEqual([...['ModelCallStarted', 'PhaseTakenOver', ...PAID]]);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
  });

  it('makes the second call only after a pause has ended', async () => {
    const { policy, requests } = createReflectingPolicy({
      reflect: async () => {
        if (requests.filter(isReflection).length === 1) await requestControl(engine, jobId, { action: 'pause' });
        return { content: GROUNDED[requests.filter(isReflection).length - 1]! };
      },
    });
    const engine = new Engine({ store: new MemoryLog(Date.now), policy, agent: REFLECTS, retries: 1 });
    const jobId = await engine.submit();
    await engine.run(jobId);
    expect(ofReflection(await engine.phaseEvents(jobId, 3))).toEqual(['ReflectionRecorded']);
    expect(requests.filter(isReflection)).toHaveLength(1);
    await requestControl(engine, jobId, { action: 'resume' });
    await engine.run(jobId);
    expect(requests.filter(isReflection)).toHaveLength(2);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
  });
});

describe('a job that a person retries', () => {
  it('begins with a reflection on its last phase', async () => {
    const { engine, jobId, third, status, requests } = await play({}, { retries: 0 });
    expect([await status(), third]).toEqual(['failed', []]);
    await requestControl(engine, jobId, { action: 'retry' });
    await engine.run(jobId);
    expect((await engine.loadPhase(jobId, 3)).start.plan.lastAttempt).toMatchObject({ phase: 2, kind: 'job' });
    expect(requests.filter(isReflection)).toHaveLength(2);
    expect(await status()).toBe('completed');
  });

  it('makes no such calls if the model server failed, and not the agent', async () => {
    const { policy, requests } = createReflectingPolicy();
    let isDown = true;
    const failing: Policy = (request, signal) => {
      if (isDown) throw new Engine.ModelDown();
      return policy(request, signal);
    };
    const { engine, jobId, status } = await play({}, { policy: failing, retries: 0 });
    expect(await status()).toBe('failed');
    isDown = false;
    await requestControl(engine, jobId, { action: 'retry' });
    await engine.run(jobId);
    expect((await engine.loadPhase(jobId, 2)).end).toMatchObject({ kind: 'completed' });
    expect(requests.filter(isReflection)).toEqual([]);
  });
});

describe('a feature that failed', () => {
  const first = [code('a', 'wrong\n')];
  const reflections = [
    '`a works` fails: src/a.txt says wrong.',
    'Write works into src/a.txt.',
    'Again src/a.txt.',
    'Read src/a.txt first.',
  ];

  it('is attempted again by a coder that reflects on the files, cases and findings of the attempt, and only once', async () => {
    const { engine, prompts, reflected } = playLoop(new MemoryLog(Date.now), {
      script: {
        1: [list(feature('a'), feature('b'))],
        2: first,
        3: [fail('it is wrong')],
        4: [code('a')],
        5: [pass()],
        6: [code('b')],
        7: [pass()],
        8: [report()],
      },
      ...{ coder: REFLECTS, tester: REFLECTS, reflections },
    });
    const jobId = await engine.submitAndRun();
    expect(reflected).toHaveLength(2);
    expect(reflected[0]).toContain('It failed: it is wrong');
    expect(reflected[0]).toMatch(/Its files:\n[^]*- src\/a\.txt\n[^]*Its tests:\n- a works\n- unit/);
    expect(prompts.get(4)![0]).toContain(SECTION);
    for (const phase of [2, 3, 5, 6]) expect(prompts.get(phase)![0]).not.toContain(SECTION);
    expect((await engine.loadPhase(jobId, 4)).start.plan.lastAttempt).toMatchObject({ phase: 3, kind: 'feature' });
  });

  it('is attempted again with a reflection when a person retries the job that it blocked', async () => {
    const { engine, prompts, reflected } = playLoop(new MemoryLog(Date.now), {
      script: {
        ...{ 1: [list(feature('a'))], 2: first, 3: [fail('it is wrong')], 4: first, 5: [fail('still wrong')] },
        ...{ 6: [report()], 7: [code('a')], 8: [pass()], 9: [report()] },
      },
      ...{ coder: REFLECTS, reflections },
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('blocked');
    await requestControl(engine, jobId, { action: 'retry' });
    await engine.run(jobId);
    expect((await engine.loadPhase(jobId, 7)).start.plan.lastAttempt).toMatchObject({
      ...{ kind: 'job', reason: 'still wrong', files: ['archive/blocked_a.patch'], tests: ['a works', 'unit'] },
    });
    expect(reflected).toHaveLength(4);
    // The second reflection names a file that this attempt cannot know.
    expect(prompts.get(7)![0]).not.toContain(SECTION);
  });
});
