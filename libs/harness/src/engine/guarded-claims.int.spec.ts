import { fileURLToPath } from 'node:url';
import { loadGuards } from '@phaseline/definitions';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { positionOf, useForks } from './fork.fixture.js';
import { CLAIM, playGuarded, rule, script, WRITE, type GuardedPlay } from './guarded.fixture.js';
import { offerTool } from './offer-tool.js';
import { call } from './scripts.js';

const { opened, replay, outcomeOf } = useForks();
const play = (given: GuardedPlay) => playGuarded(opened.store, given);

const noSource = rule(
  'name-sources',
  { todo: { startsWith: 'Write' }, not: { file: { path: 'work/sources.txt' } } },
  { deny: 'no source is named', suggest: 'Write work/sources.txt.' },
  { points: ['TaskCompleted'] },
);
const WRITE_SOURCES = call('write_file', { path: 'work/sources.txt', content: 'a book' });

describe('a guard at TaskCompleted', () => {
  it('refuses the claim of a todo with its reason and what to do next', async () => {
    const { engine, seen, readEvents } = play({
      guards: [noSource],
      replies: [WRITE, CLAIM, WRITE_SOURCES, CLAIM],
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const [decided, refused] = await readEvents(jobId, 'GuardDecided', 'ClaimRefused');
    expect(decided!.data).toMatchObject({
      point: 'TaskCompleted',
      callId: 'call_1_2_1',
      guard: { name: 'name-sources' },
      decision: 'deny',
      reason: 'no source is named\nWrite work/sources.txt.',
    });
    expect(refused!.data).toMatchObject({
      subject: { kind: 'todo', todoId: 1 },
      callId: 'call_1_2_1',
      failures: [{ check: { guard: 'name-sources' } }],
      inARow: 1,
    });
    expect(seen[2]).toContain(
      'Todo 1 is not done: the guard name-sources refuses it: no source is named\nWrite work/sources.txt.',
    );
    expect((await readEvents(jobId, 'TodoCompleted')).length).toBe(1);
    expect((await readEvents(jobId, 'GuardDecided')).length).toBe(1);
  });

  it('is asked only when the checks of the claim hold', async () => {
    const { engine, readEvents } = play({
      guards: [noSource],
      checks: [{ file: { path: 'work/result.txt', minLines: 1 } }],
      replies: [CLAIM, WRITE, WRITE_SOURCES, CLAIM],
    });
    const jobId = await engine.submitAndRun();
    expect((await readEvents(jobId, 'ClaimRefused')).map(({ data }) => data['failures'])).toMatchObject([
      [{ found: 'it does not exist' }],
    ]);
    expect(await readEvents(jobId, 'GuardDecided')).toEqual([]);
  });

  it('fails the phase after five refusals in a row', async () => {
    const { engine, readEvents } = play({ guards: [noSource], replies: [WRITE], retries: 0 });
    const jobId = await engine.submitAndRun();
    const { status, failure } = await engine.loadJob(jobId);
    expect([status, failure?.code]).toEqual(['failed', 'claim_refused']);
    expect(failure?.message).toContain('no source is named');
    expect((await readEvents(jobId, 'ClaimRefused')).map(({ data }) => data['inARow'])).toEqual([1, 2, 3, 4, 5]);
  });

  it('in shadow, or of another stage, refuses nothing', async () => {
    const { engine, readEvents } = play({ guards: [{ ...noSource, stage: 'shadow' }] });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect((await readEvents(jobId, 'GuardDecided', 'ClaimRefused')).map(({ type }) => type)).toEqual(['GuardDecided']);
  });

  it('that cannot decide refuses, or is skipped if it says so', async () => {
    const broken = script('broken', ['TaskCompleted'], '() => { throw new Error("no") }');
    const closed = play({ guards: [broken], retries: 0 });
    expect((await closed.engine.loadJob(await closed.engine.submitAndRun())).failure?.code).toBe('claim_refused');
    const open = play({ guards: [{ ...broken, onFailure: 'continue' }] });
    expect((await open.engine.loadJob(await open.engine.submitAndRun())).status).toBe('completed');
  });
});

describe('a guard at Stop', () => {
  const checked = (then: object) =>
    rule('sign-off', { outcome: 'done', not: { file: { path: 'work/sources.txt' } } }, then as never, {
      points: ['Stop'],
    });
  const refuse = checked({ deny: 'nobody signed off' });

  it('refuses the end of a phase, whose last todo is open again', async () => {
    const { engine, seen, readEvents } = play({ guards: [refuse], replies: [WRITE, CLAIM, WRITE_SOURCES, CLAIM] });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const types = (await readEvents(jobId)).map(({ type }) => type);
    const index = types.indexOf('GuardDecided');
    expect(types.slice(index, index + 3)).toEqual(['GuardDecided', 'ClaimRefused', 'TransitionRejected']);
    const [rejected] = await readEvents(jobId, 'TransitionRejected');
    expect(rejected!.data).toMatchObject({ gate: 'checks', outcome: 'done', refusedAt: index + 2 });
    expect(seen[2]).toContain('The phase cannot end as done: the guard sign-off refuses it: nobody signed off');
    expect(types.filter((type) => type === 'TodoCompleted').length).toBe(2);
  });

  it('fails the phase after the limit of refusals', async () => {
    const replies = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? WRITE : CLAIM));
    const { engine, readEvents } = play({ guards: [refuse], replies, retries: 0 });
    const jobId = await engine.submitAndRun();
    const { status, failure } = await engine.loadJob(jobId);
    expect([status, failure?.code]).toEqual(['failed', 'gate_rejected']);
    expect(failure?.message).toContain('nobody signed off');
    expect((await readEvents(jobId, 'PhaseCompleted')).length).toBe(0);
  });

  it('learns whether it refused the end before, and what the model said last', async () => {
    const seeing = script(
      'seeing',
      ['Stop'],
      '({ event }) => event.isRepeated ? undefined : { decision: "deny", reason: `said ${event.lastMessage}` }',
    );
    const { engine, readEvents } = play({
      guards: [seeing],
      replies: [WRITE, { ...CLAIM, content: 'all done' }, WRITE, CLAIM],
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect((await readEvents(jobId, 'GuardDecided')).map(({ data }) => data['reason'])).toEqual(['said all done']);
  });
});

describe('a recorded fork', () => {
  it('repeats what guards decided about claims without asking them', async () => {
    const silent = script('silent', ['TaskCompleted', 'Stop'], '() => ({ decision: "deny", reason: "not yet" })', {
      stage: 'shadow',
    });
    const sign = rule(
      'sign-off',
      { not: { file: { path: 'work/b.txt' } } },
      { deny: 'b is missing' },
      { points: ['Stop'] },
    );
    const { engine } = play({
      guards: [noSource, sign, silent],
      replies: [WRITE, CLAIM, WRITE_SOURCES, CLAIM, call('write_file', { path: 'work/b.txt', content: 'b' }), CLAIM],
    });
    const jobId = await engine.submitAndRun();
    const expected = await outcomeOf(jobId);
    expect(expected.status).toBe('completed');
    const position = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    expect(await replay(engine, jobId, position)).toEqual(expected);
  });

  it('repeats a decision that an override took the effect of, after the override has expired', async () => {
    const { points: _points, ...sign } = { ...noSource, body: { when: {}, then: { deny: 'not yet' } } };
    const { engine, readEvents } = play({ guards: [{ ...sign, points: ['Stop'] }] });
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    const place = { guard: 'name-sources', scope: 'agent' } as const;
    const reason = 'the source is known';
    await engine.driver.control(jobId, {
      action: 'override-guard',
      actor: 'ann',
      ...place,
      reason,
      expiresInMs: 60_000,
    });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const [decided] = await readEvents(jobId, 'GuardDecided');
    expect(decided!.data).toMatchObject({ decision: 'deny', override: { actor: 'ann', reason } });
    engine.advanceTime(120_000);
    const position = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    expect(await replay(engine, jobId, position)).toEqual(await outcomeOf(jobId));
  });
});

describe('the shipped rule force-tester-completion', () => {
  it('refuses the end of the tester before a test ran', async () => {
    const shipped = await loadGuards(fileURLToPath(new URL('../../../../guards', import.meta.url)), 'agent');
    const found = shipped.find(({ name }) => name === 'force-tester-completion')!;
    // The phases of this workflow are those of the job's own agent, whose end is a Stop.
    const { workflows: _workflows, ...guard } = { ...found, points: ['Stop' as const] };
    const offered = offerTool({
      name: 'run_command',
      effect: 'once',
      timeoutMs: 5_000,
      input: z.object({ program: z.string(), args: z.array(z.string()) }),
      run: async () => ({ content: '1 failed' }),
    });
    const test = call('run_command', { program: 'npm', args: ['test'] });
    const { engine, seen, readEvents } = play({
      guards: [guard],
      packs: offered.packs,
      agent: { name: 'tester-agent', tools: { ...offered.agent.tools, strategic: ['todo_complete', 'run_command'] } },
      replies: [WRITE, CLAIM, test, CLAIM],
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect((await readEvents(jobId, 'GuardDecided')).map(({ data }) => data['guard'])).toMatchObject([
      { name: 'force-tester-completion', kind: 'rule' },
    ]);
    expect(seen[2]).toContain('No test ran in this phase.\nRun the tests of the feature');
  });
});
