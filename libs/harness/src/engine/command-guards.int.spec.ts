import type { Guard } from '@phaseline/domain';
import { DatabaseUnreachable } from '@phaseline/event-store';
import { scriptsPack } from '@phaseline/inline-packs';
import { describe, expect, it } from 'vitest';
import { commandGuard, createScriptedGuards, type Decide } from './command-guard.fixture.js';
import { requestControl } from './control.fixture.js';
import { Engine, type EngineOptions, type Reply } from './engine.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { call, calls, createThreePhasePolicy } from './scripts.js';

const { opened, replay, outcomeOf } = useForks();

const write = (path: string, content = 'text') => ['write_file', { path, content }] as [string, object];

interface Play {
  readonly guards: readonly Guard[];
  readonly decide: Decide;
  readonly work: readonly Reply[];
  readonly agent?: EngineOptions['agent'];
}

/** Prepares a job whose second phase gives these answers under these guards. */
function prepare({ guards, decide, work, agent = {} }: Play) {
  // The pack is made before the engine that has its repository.
  const made: { engine?: Engine } = {};
  const { pack, asked } = createScriptedGuards(decide, () => made.engine!.repository);
  const seen: string[] = [];
  const policy = createThreePhasePolicy(work);
  made.engine = new Engine({
    store: opened.store,
    policy: (request, signal) => {
      seen.push(request.messages.map(({ content }) => content).join('\n'));
      return policy(request, signal);
    },
    packs: [scriptsPack, pack],
    agent: { tools: toolsWith('run_script'), guards: [...guards], ...agent },
  });
  return { subject: made.engine, asked, seen };
}

async function play(given: Play) {
  const { subject, asked, seen } = prepare(given);
  const jobId = await subject.submitAndRun();
  const read = async (...types: string[]) =>
    (await subject.phaseEvents(jobId, 2)).filter(({ type }) => types.includes(type)).map(({ data }) => data);
  const phase = await subject.loadPhase(jobId, 2);
  return { subject, jobId, asked, seen, read, phase, files: Object.keys(phase.tree) };
}

const guard = commandGuard('set.PreToolUse-1', ['PreToolUse'], { matcher: 'Write' });
const deny = (reason = 'closed') => ({ decision: 'deny', reason });

describe('a command guard at PreToolUse', () => {
  it('denies a call before it runs, and the model reads why', async () => {
    const decide: Decide = ({ args }) => (String(args['path']).startsWith('src/') ? deny() : undefined);
    const { asked, read, files, subject, jobId } = await play({
      guards: [guard],
      decide,
      work: [calls(write('src/a.ts'), write('notes.md'))],
    });
    expect(asked.map(({ point, args }) => [point, args['path']])).toEqual([
      ['PreToolUse', 'src/a.ts'],
      ['PreToolUse', 'notes.md'],
    ]);
    expect(await read('ToolCallDenied')).toMatchObject([
      { callId: 'call_2_1_1', code: 'guard_denied', message: 'Call denied by the guard set.PreToolUse-1: closed' },
    ]);
    expect(await read('GuardDecided')).toMatchObject([
      { point: 'PreToolUse', guard: { name: 'set.PreToolUse-1', kind: 'command' }, decision: 'deny', durationMs: 1 },
    ]);
    expect(await read('GuardsSettled')).toHaveLength(2);
    expect(files).toContain('notes.md');
    expect(files).not.toContain('src/a.ts');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('is not asked about tools that its matcher does not name, nor in draft', async () => {
    const draft = commandGuard('set.draft', ['PreToolUse'], { stage: 'draft' });
    const { asked, phase } = await play({ guards: [guard, draft], decide: () => deny(), work: [] });
    expect(asked).toEqual([]);
    expect(phase.end?.kind).toBe('completed');
  });

  it('changes arguments, which all guards see once more', async () => {
    const other = commandGuard('set.PreToolUse-2', ['PreToolUse'], { matcher: 'Write' });
    const decide: Decide = ({ guard: name, args }) =>
      name === guard.name && !String(args['path']).startsWith('out/')
        ? { decision: 'amend', reason: 'one folder', amended: { ...args, path: `out/${String(args['path'])}` } }
        : undefined;
    const { asked, read, files } = await play({ guards: [guard, other], decide, work: [calls(write('a.md'))] });
    expect(asked.map(({ guard: name, args }) => [name, args['path']])).toEqual([
      ['set.PreToolUse-1', 'a.md'],
      ['set.PreToolUse-2', 'a.md'],
      ['set.PreToolUse-1', 'out/a.md'],
      ['set.PreToolUse-2', 'out/a.md'],
    ]);
    expect(files).toContain('out/a.md');
    expect(files).not.toContain('a.md');
    expect((await read('GuardsAwaited')).map(({ round }) => round)).toEqual([1, 2]);
    expect(await read('ToolCallCompleted')).toContainEqual(
      expect.objectContaining({
        content: expect.stringContaining('[The guard set.PreToolUse-1 changed the arguments'),
      }),
    );
  });

  it.each([
    ['a guard that amends again', (path: string) => ({ path: `x/${path}` }), /changes the arguments again/],
    ['arguments that do not fit the tool', () => ({ path: null }), /do not fit the tool/],
  ])('denies after %s', async (_what, change, message) => {
    const decide: Decide = ({ args }) => ({
      decision: 'amend',
      reason: 'r',
      amended: { ...args, ...change(String(args['path'])) },
    });
    const { read } = await play({ guards: [guard], decide, work: [calls(write('a.md'))] });
    expect(await read('ToolCallDenied')).toMatchObject([{ message: expect.stringMatching(message) }]);
  });

  it('denies if two guards demand different arguments, also when one of them is a rule', async () => {
    const rule: Guard = {
      ...commandGuard('folder', ['PreToolUse']),
      kind: 'rule',
      body: { when: { tool: 'write_file' }, then: { amend: { path: 'rule.md' }, reason: 'rule' } },
    };
    const decide: Decide = ({ args }) => ({ decision: 'amend', reason: 'r', amended: { ...args, path: 'hook.md' } });
    const { read } = await play({ guards: [rule, guard], decide, work: [calls(write('a.md'))] });
    expect(await read('ToolCallDenied')).toMatchObject([{ message: expect.stringContaining('different arguments') }]);
  });

  it('is not asked about a call that a rule denies', async () => {
    const rule: Guard = {
      ...commandGuard('closed', ['PreToolUse']),
      kind: 'rule',
      body: { when: { tool: 'write_file' }, then: { deny: 'closed' } },
    };
    const { asked, read } = await play({
      guards: [rule, guard],
      decide: () => undefined,
      work: [calls(write('a.md'))],
    });
    expect(asked).toEqual([]);
    expect(await read('ToolCallDenied')).toHaveLength(1);
  });

  it('asks a person about the final arguments', async () => {
    const decide: Decide = ({ args }) => ({ decision: 'ask', reason: 'sure?', amended: { ...args, path: 'out/a.md' } });
    const { subject, jobId, read } = await play({ guards: [guard], decide, work: [calls(write('a.md'))] });
    expect(await read('ApprovalRequested')).toMatchObject([
      { reason: 'sure? (guard set.PreToolUse-1)', arguments: { path: 'out/a.md' } },
    ]);
    await requestControl(subject, jobId, { action: 'approve', callId: 'call_2_1_1' });
    await subject.run(jobId);
    expect(Object.keys((await subject.loadPhase(jobId, 2)).tree)).toContain('out/a.md');
  });

  it.each([
    ['denies', 'deny' as const, 1, 'could not decide'],
    ['continues if it says so', 'continue' as const, 0, undefined],
  ])('that cannot be run %s', async (_what, onFailure, denied, message) => {
    const failing = commandGuard('set.PreToolUse-1', ['PreToolUse'], { matcher: 'Write', onFailure });
    const decide: Decide = () => {
      throw new Error('no sandbox');
    };
    const { read } = await play({ guards: [failing], decide, work: [calls(write('a.md'))] });
    const denials = await read('ToolCallDenied');
    expect(denials).toHaveLength(denied);
    if (message !== undefined) expect(denials).toMatchObject([{ message: expect.stringContaining(message) }]);
    expect(await read('GuardDecided')).toMatchObject([{ failure: { code: 'guard_run_failed' } }]);
  });

  it('decides about each call that a script makes', async () => {
    const code = `try { await tools.write_file({ path: 'src/b.ts', content: 'x' }) } catch (e) { await tools.write_file({ path: 'b.md', content: e.message }) }`;
    const decide: Decide = ({ args }) => (String(args['path']).startsWith('src/') ? deny() : undefined);
    const { asked, files, read } = await play({ guards: [guard], decide, work: [call('run_script', { code })] });
    expect(asked.map(({ args }) => args['path'])).toEqual(['src/b.ts', 'b.md']);
    expect(files).toContain('b.md');
    expect(await read('ToolCallDenied')).toMatchObject([{ parent: 'call_2_1_1' }]);
  });

  it('in shadow is recorded and blocks nothing', async () => {
    const shadow = commandGuard('set.PreToolUse-1', ['PreToolUse'], { stage: 'shadow' });
    const { files, read } = await play({ guards: [shadow], decide: () => deny(), work: [calls(write('a.md'))] });
    expect((await read('GuardDecided'))[0]).toMatchObject({ decision: 'deny', guard: { stage: 'shadow' } });
    expect(files).toContain('a.md');
  });
});

describe('a command guard after a call', () => {
  const post = commandGuard('set.PostToolUse-1', ['PostToolUse'], { matcher: 'Write' });

  it('replaces what the model reads, and the log keeps both', async () => {
    const decide: Decide = ({ result }) => ({ decision: 'amend', amended: { content: `hidden: ${result!.length}` } });
    const { read, seen, phase } = await play({ guards: [post], decide, work: [calls(write('a.md'))] });
    const written = (await read('ToolCallCompleted')).find(({ callId }) => callId === 'call_2_1_1')!['content'];
    expect(written).toContain('a.md');
    expect(await read('GuardDecided')).toMatchObject([
      { point: 'PostToolUse', decision: 'amend', amended: { content: `hidden: ${String(written).length}` } },
    ]);
    const prompt = seen.find((text) => text.includes('hidden: '))!;
    expect(prompt).not.toContain(written);
    expect(phase.end?.kind).toBe('completed');
  });

  it('in shadow replaces nothing', async () => {
    const shadow = commandGuard('set.PostToolUse-1', ['PostToolUse'], { matcher: 'Write', stage: 'shadow' });
    const decide: Decide = () => ({ decision: 'amend', amended: { content: 'hidden' } });
    const { read, seen } = await play({ guards: [shadow], decide, work: [calls(write('a.md'))] });
    expect(await read('GuardDecided')).toMatchObject([{ decision: 'amend', guard: { stage: 'shadow' } }]);
    expect(seen.some((text) => text.includes('hidden'))).toBe(false);
  });

  it('adds its feedback, and shows no result about which two guards disagree', async () => {
    const others = ['set.PostToolUse-2', 'set.PostToolUse-3'].map((name) => commandGuard(name, ['PostToolUse']));
    const decide: Decide = ({ guard: name, tool }) => {
      if (tool !== 'write_file') return undefined;
      if (name === post.name) return { decision: 'context', context: 'run the tests' };
      return { decision: 'amend', amended: { content: name } };
    };
    const { seen } = await play({ guards: [post, ...others], decide, work: [calls(write('a.md'))] });
    const prompt = seen.find((text) => text.includes('run the tests'))!;
    expect(prompt).toContain('the guards set.PostToolUse-2 and set.PostToolUse-3 demand different texts');
    expect(prompt).toContain('[run the tests]');
  });

  it('hears of a failed call at PostToolUseFailure only', async () => {
    const failed = commandGuard('set.PostToolUseFailure-1', ['PostToolUseFailure']);
    const decide: Decide = ({ point }) => ({ decision: 'context', context: `heard at ${point}` });
    const { asked, seen } = await play({
      guards: [failed, commandGuard('set.PostToolUse-9', ['PostToolUse'], { matcher: 'Read' })],
      decide,
      work: [call('read_file', { path: 'none.md' })],
    });
    expect(asked.filter(({ args }) => args['path'] === 'none.md').map(({ point }) => point)).toEqual([
      'PostToolUseFailure',
    ]);
    expect(seen.some((text) => text.includes('[heard at PostToolUseFailure]'))).toBe(true);
  });

  it('of the kind rule and script is heard too', async () => {
    const rule: Guard = {
      ...commandGuard('hint', ['PostToolUse']),
      kind: 'rule',
      body: { when: { tool: 'write_file' }, then: { context: 'a rule saw {args.path}' } },
    };
    const script: Guard = {
      ...commandGuard('mask', ['PostToolUse']),
      kind: 'script',
      body: {
        code: '({ event }) => event.tool === "write_file" ? { decision: "amend", arguments: { content: "masked" }, reason: "r" } : null',
      },
    };
    const { seen } = await play({ guards: [rule, script], decide: () => undefined, work: [calls(write('a.md'))] });
    expect(seen.some((text) => text.includes('masked\n[a rule saw a.md]'))).toBe(true);
  });
});

describe('a command guard at PermissionRequest', () => {
  const permission = commandGuard('set.PermissionRequest-1', ['PermissionRequest']);
  const approvals = { approvals: { tools: ['write_file'] } };

  it.each([
    ['grants', { decision: 'allow' }, ['ToolCallRequested']],
    ['refuses', { decision: 'deny', reason: 'never' }, ['ToolCallDenied']],
    ['leaves to a person', undefined, ['ApprovalRequested']],
  ])('%s an approval that the agent demands', async (_what, decision, expected) => {
    const { subject, jobId, read } = await play({
      guards: [permission],
      decide: () => decision,
      work: [calls(write('a.md'))],
      agent: approvals,
    });
    const events = await subject.phaseEvents(jobId, 2);
    const admissions = ['ToolCallRequested', 'ToolCallDenied', 'ApprovalRequested'];
    const found = events.filter(({ type, data }) => admissions.includes(type) && data['callId'] === 'call_2_1_1');
    expect(found.map(({ type }) => type)).toEqual(expected);
    expect(await read('GuardDecided')).toHaveLength(decision ? 1 : 0);
  });

  it('changes the call that it allows, which the guards of PreToolUse see', async () => {
    const decide: Decide = ({ point, args }) =>
      point === 'PermissionRequest' ? { decision: 'amend', amended: { ...args, path: 'out/a.md' } } : undefined;
    const { asked, files } = await play({
      guards: [guard, permission],
      decide,
      work: [calls(write('a.md'))],
      agent: approvals,
    });
    expect(asked.map(({ point, args }) => [point, args['path']])).toEqual([
      ['PreToolUse', 'a.md'],
      ['PermissionRequest', 'a.md'],
      ['PreToolUse', 'out/a.md'],
    ]);
    expect(files).toContain('out/a.md');
  });

  it('cannot grant what a guard of a higher scope asks a person', async () => {
    const asking: Guard = {
      ...commandGuard('ask', ['PreToolUse']),
      kind: 'rule',
      scope: 'tenant',
      body: { when: { tool: 'write_file' }, then: { ask: 'sure?' } },
    };
    const ask = (changes: Partial<Guard>) =>
      play({
        guards: [{ ...asking, ...changes }, permission],
        decide: () => ({ decision: 'allow' }),
        work: [calls(write('a.md'))],
      });
    expect(await (await ask({})).read('ApprovalRequested')).toHaveLength(1);
    expect(await (await ask({ scope: 'agent' })).read('ApprovalRequested')).toHaveLength(0);
  });
});

describe('a process that dies while guards are asked', () => {
  /** Runs until a guard is asked, lets its process die, and starts others. */
  async function dieAsking(changes: Partial<Guard>) {
    const { subject, asked } = prepare({
      guards: [{ ...guard, ...changes }],
      decide: () => undefined,
      work: [calls(write('a.md'))],
    });
    const jobId = await subject.submit();
    await subject.runUntilToolCall(jobId, subject.worker(), subject.toolRunner());
    const message = subject.messages.shift()!;
    const dying = subject.toolRunner('dying');
    subject.alive.add('dying');
    // The first append of the end is lost with its process.
    const append = opened.store.append.bind(opened.store);
    const work = { ...message.payload, callId: message.payload.callId! };
    const stop = new AbortController();
    opened.store.append = async (...args) => {
      const [{ events }] = args as unknown as [{ events: { type: string }[] }];
      if (events.some(({ type }) => type === 'ToolCallCompleted')) {
        stop.abort();
        throw new Error('the process died');
      }
      return append(...args);
    };
    await dying.run(work, stop.signal).catch(() => undefined);
    opened.store.append = append;
    subject.alive.delete('dying');
    subject.messages.push(message);
    await subject.run(jobId);
    const events = await subject.phaseEvents(jobId, 2);
    return { asked, status: (await subject.loadJob(jobId)).status, types: events.map(({ type }) => type) };
  }

  it('asks an idempotent guard again', async () => {
    const { asked, status, types } = await dieAsking({ idempotent: true });
    expect(asked).toHaveLength(2);
    expect(types).not.toContain('ToolCallDenied');
    expect(types.filter((type) => type === 'GuardsSettled')).toHaveLength(1);
    expect(status).toBe('completed');
  });

  it('denies for one that may not be asked twice', async () => {
    const { asked, types } = await dieAsking({});
    expect(asked).toHaveLength(1);
    expect(types.filter((type) => type === 'ToolCallDenied')).toHaveLength(1);
  });

  it('continues if the guard says so', async () => {
    const { asked, types } = await dieAsking({ onFailure: 'continue' });
    expect(asked).toHaveLength(1);
    expect(types).not.toContain('ToolCallDenied');
  });
});

it('a guard does not deny a call because the log was unavailable while it was asked', async () => {
  let outages = 1;
  const { subject, asked } = prepare({
    guards: [{ ...guard, idempotent: true }],
    decide: () => {
      outages -= 1;
      if (outages >= 0) throw new DatabaseUnreachable(new Error('Connection terminated unexpectedly'));
      return undefined;
    },
    work: [calls(write('a.md'))],
  });
  const jobId = await subject.submit();
  const [worker, runner] = [subject.worker(), subject.toolRunner()];
  await subject.runUntilToolCall(jobId, worker, runner);
  const message = subject.messages[0]!;
  // A queue delivers a message again whose handler threw.
  await expect(subject.deliver(message, worker, runner)).rejects.toThrow(DatabaseUnreachable);
  await subject.run(jobId);
  const types = await subject.eventTypes(jobId, 2);
  expect(types).not.toContain('ToolCallDenied');
  expect(types).not.toContain('ToolCallFailed');
  expect(asked).toHaveLength(2);
  expect((await subject.loadJob(jobId)).status).toBe('completed');
});

describe('a recorded fork', () => {
  it('repeats what command guards decided without asking any', async () => {
    const guards = [
      guard,
      commandGuard('set.PermissionRequest-1', ['PermissionRequest']),
      commandGuard('set.PostToolUse-1', ['PostToolUse'], { matcher: 'Write' }),
    ];
    const decide: Decide = ({ point, args }) => {
      const path = String(args['path']);
      if (point === 'PostToolUse') return { decision: 'amend', amended: { content: `masked ${path}` } };
      if (point === 'PermissionRequest') return { decision: 'allow' };
      if (path === 'src/a.ts') return deny();
      if (path === 'ask.md') return { decision: 'ask', reason: 'sure?' };
      return path === 'a.md' ? { decision: 'amend', reason: 'r', amended: { ...args, path: 'out/a.md' } } : undefined;
    };
    const work = [calls(write('src/a.ts'), write('a.md'), write('ask.md')), calls(write('b.md'))];
    const { subject, jobId, asked, seen } = await play({ guards, decide, work });
    const expected = await outcomeOf(jobId);
    expect(expected.status).toBe('completed');
    expect(Object.keys(expected.files)).toEqual(expect.arrayContaining(['out/a.md', 'ask.md', 'b.md']));
    const [times, prompts] = [asked.length, seen.length];
    const events = await opened.store.readCorrelation(jobId);
    expect(await replay(subject, jobId, positionOf(events, 'PhaseStarted', 1))).toEqual(expected);
    expect(await replay(subject, jobId, positionOf(events, 'GuardsAwaited', 1))).toEqual(expected);
    expect([asked.length, seen.length]).toEqual([times, prompts]);
  });
});
