import type { Guard } from '@phaseline/domain';
import { scriptsPack } from '@phaseline/inline-packs';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import type { Reply } from './engine.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { call, calls, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

type Body = Guard['body'];

function rule(name: string, when: Body, then: Body, changes: Partial<Guard> = {}): Guard {
  const common = { version: 'a'.repeat(64), scope: 'agent', kind: 'rule', stage: 'production', owner: 'ada' } as const;
  return { ...common, name, points: ['PreToolUse'], onFailure: 'deny', body: { when, then }, ...changes };
}

const write = (path: string, content = 'text') => ['write_file', { path, content }] as [string, object];

/** Runs a job whose second phase gives these answers under these guards. */
async function runGuarded(guards: readonly Guard[], work: readonly Reply[], more: object = {}) {
  const subject = engine(createThreePhasePolicy(work), {
    packs: [scriptsPack],
    agent: { tools: toolsWith('run_script'), guards: [...guards], ...more },
  });
  const jobId = await subject.submitAndRun();
  const events = await subject.phaseEvents(jobId, 2);
  const only = (...types: string[]) => events.filter(({ type }) => types.includes(type)).map(({ data }) => data);
  return { subject, jobId, events, only, phase: await subject.loadPhase(jobId, 2) };
}

describe('a guard', () => {
  it('denies a call before it runs, and the model reads why', async () => {
    const guard = rule(
      'no-code',
      { args: { path: { glob: 'src/**' } } },
      { deny: '{args.path} is closed', suggest: 'ask' },
    );
    const { only, phase } = await runGuarded([guard], [calls(write('src/a.ts'), write('notes.md'))]);
    expect(only('GuardDecided')).toMatchObject([
      { point: 'PreToolUse', callId: 'call_2_1_1', guard: { name: 'no-code', kind: 'rule' }, decision: 'deny' },
    ]);
    expect(only('ToolCallDenied')).toMatchObject([
      {
        callId: 'call_2_1_1',
        code: 'guard_denied',
        message: 'Call denied by the guard no-code: src/a.ts is closed\nask',
      },
    ]);
    expect(Object.keys(phase.tree)).toContain('notes.md');
    expect(Object.keys(phase.tree)).not.toContain('src/a.ts');
  });

  it('changes arguments, which are recorded, run and told to the model', async () => {
    const guard = rule(
      'one-folder',
      { tool: 'write_file', not: { args: { path: { startsWith: 'out/' } } } },
      { amend: { path: 'out/{args.path|basename}' }, reason: 'one folder' },
    );
    const { only, phase } = await runGuarded([guard], [calls(write('x/y/a.md'))]);
    expect(only('GuardDecided')).toMatchObject([{ decision: 'amend', amended: { path: 'out/a.md', content: 'text' } }]);
    expect(only('ToolCallRequested')[0]).toMatchObject({ arguments: { path: 'out/a.md', content: 'text' } });
    expect(only('ToolCallCompleted')[0]).toMatchObject({
      content: expect.stringContaining('[The guard one-folder changed the arguments of this call: one folder]'),
    });
    expect(Object.keys(phase.tree)).toContain('out/a.md');
    expect(Object.keys(phase.tree)).not.toContain('x/y/a.md');
  });

  it('whose amendment does not fit the tool denies the call and names the member', async () => {
    const guard = rule('broken', { tool: 'write_file' }, { amend: { content: null }, reason: 'r' });
    const { only } = await runGuarded([guard], [calls(write('a.md'))]);
    expect(only('ToolCallDenied')).toMatchObject([
      { code: 'guard_denied', message: expect.stringContaining('content') },
    ]);
  });

  it('asks a person, who sees its reason and the final arguments', async () => {
    const amend = rule('one-folder', { args: { path: 'a.md' } }, { amend: { path: 'out/a.md' }, reason: 'one folder' });
    const ask = rule('ask', { tool: 'write_file' }, { ask: 'is {args.path} wanted?' });
    const { subject, jobId, only } = await runGuarded([ask, amend], [calls(write('a.md'))]);
    expect(only('ApprovalRequested')).toMatchObject([
      { reason: 'is out/a.md wanted? (guard ask)', arguments: { path: 'out/a.md' }, expiresAt: expect.any(String) },
    ]);
    expect(await requestControl(subject, jobId, { action: 'approve', callId: 'call_2_1_1' })).toEqual({
      kind: 'recorded',
    });
    await subject.run(jobId);
    expect(Object.keys((await subject.loadPhase(jobId, 2)).tree)).toContain('out/a.md');
  });

  it('adds context to the result, and decides about each call that a script makes', async () => {
    const note = rule('hint', { args: { path: 'a.md' } }, { context: 'cite sources' });
    const deny = rule('no-code', { args: { path: { glob: 'src/**' } } }, { deny: 'closed' });
    const code = `await tools.write_file({ path: 'b.md', content: 'x' }); try { await tools.write_file({ path: 'src/b.ts', content: 'x' }) } catch (e) { return e.message }`;
    const { only, phase } = await runGuarded([note, deny], [calls(write('a.md'), ['run_script', { code }])]);
    const contents = only('ToolCallCompleted').map(({ content }) => content);
    expect(contents[0]).toEqual(expect.stringContaining('[cite sources]'));
    expect(contents).toContainEqual(expect.stringContaining('Call denied by the guard no-code: closed'));
    expect(only('ToolCallDenied')).toMatchObject([{ callId: 'call_2_1_2_2', parent: 'call_2_1_2' }]);
    expect(Object.keys(phase.tree)).toEqual(expect.arrayContaining(['a.md', 'b.md']));
  });

  it('in shadow is recorded and blocks nothing; a plain allow is not recorded', async () => {
    const shadow = rule('shadow', { tool: 'write_file' }, { deny: 'no' }, { stage: 'shadow' });
    const silent = rule('silent', { tool: 'delete_file' }, { deny: 'no' });
    const { only, phase } = await runGuarded([shadow, silent], [calls(write('a.md'))]);
    expect(only('GuardDecided')).toMatchObject([{ guard: { name: 'shadow', stage: 'shadow' }, decision: 'deny' }]);
    expect(Object.keys(phase.tree)).toContain('a.md');
  });

  it('stays what it was when the phase began', async () => {
    const { subject, jobId } = await runGuarded([rule('g', {}, { context: 'c' })], [call('todo_complete')]);
    expect((await subject.loadPhase(jobId, 2)).start.terms.guards).toMatchObject([
      { name: 'g', version: 'a'.repeat(64) },
    ]);
  });
});

describe('a guard of the installation', () => {
  it('guards the phases of its workflows, before the guards of the agent', async () => {
    const system = (name: string, workflows?: string[]) =>
      rule(name, { tool: 'write_file' }, { context: name }, { scope: 'system', ...(workflows ? { workflows } : {}) });
    const guards = [system('everywhere'), system('elsewhere', ['feature-loop'])];
    const policy = createThreePhasePolicy([calls(write('a.md'))]);
    const own = [
      rule('own', { tool: 'write_file' }, { context: 'own' }),
      rule('other', {}, {}, { workflows: ['other'] }),
    ];
    const subject = engine(policy, { guards, agent: { tools: toolsWith(), guards: own } });
    const jobId = await subject.submitAndRun();
    const { start } = await subject.loadPhase(jobId, 2);
    expect(start.terms.guards?.map(({ scope, name }) => `${scope} ${name}`)).toEqual([
      'system everywhere',
      'agent own',
    ]);
    const decided = (await subject.phaseEvents(jobId, 2)).filter(({ type }) => type === 'GuardDecided');
    expect(decided.map(({ data }) => data['context'])).toEqual(['everywhere', 'own']);
  });
});

describe('a recorded fork', () => {
  const { opened, playJob, replay, outcomeOf } = useForks();

  it('repeats what guards decided', async () => {
    const guards = [
      rule('no-code', { args: { path: { glob: 'src/**' } } }, { deny: 'closed' }),
      rule('one-folder', { args: { path: 'a.md' } }, { amend: { path: 'out/a.md' }, reason: 'r' }),
      {
        ...rule('script', {}, {}),
        kind: 'script' as const,
        body: { code: '() => ({ decision: "context", context: "seen" })' },
      },
    ];
    const work = [calls(write('src/a.ts'), write('a.md'), write('b.md'))];
    const parent = await playJob(createThreePhasePolicy(work), { agent: { tools: toolsWith(), guards } });
    const expected = await outcomeOf(parent.jobId);
    expect(expected.status).toBe('completed');
    const types = parent.events.map(({ type }) => type);
    expect(types.filter((type) => type === 'GuardDecided').length).toBeGreaterThan(3);
    const position = positionOf(parent.events, 'PhaseStarted', 1);
    expect(await replay(parent.engine, parent.jobId, position)).toEqual(expected);
    expect(opened.store).toBeDefined();
  });
});
