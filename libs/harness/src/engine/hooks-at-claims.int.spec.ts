import { ToolError } from '@phaseline/contracts';
import { checksSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { positionOf, useForks } from './fork.fixture.js';
import {
  coder,
  createAgentSource,
  defineAgent,
  playScript,
  REPORT,
  tester,
  workAndReturn,
  write,
} from './state-agents.fixture.js';
import { CLAIM, command, createHooks, playGuarded, WRITE, type GuardedPlay } from './guarded.fixture.js';
import { runLosingProcesses } from './lost-processes.fixture.js';

const { opened, replay, outcomeOf } = useForks();

type Answers = Parameters<typeof createHooks>[0];

function play(answers: Answers, { packs = [], ...given }: GuardedPlay) {
  const { pack, asked } = createHooks(answers);
  return { ...playGuarded(opened.store, { ...given, packs: [pack, ...packs] }), asked };
}

const DENY = { decision: 'deny', reason: 'the tests were not run' };

describe('a hook at TaskCompleted', () => {
  it('is a run of the claim, which stays open until it has ended', async () => {
    const { engine, seen, asked, readEvents } = play(
      { tests: [DENY] },
      { guards: [command('tests', ['TaskCompleted'])] },
    );
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const input = {
      point: 'TaskCompleted',
      guards: ['tests'],
      occasion: { task: { id: '1', subject: 'Write work/result.txt.' } },
    };
    expect(asked).toEqual([input, input]);
    const types = (await readEvents(jobId)).map(({ type }) => type);
    const refused = types.indexOf('ClaimRefused');
    expect(types.slice(refused - 4, refused + 2)).toEqual([
      'ClaimRaised',
      'ToolCallRequested',
      'ToolCallCompleted',
      'GuardDecided',
      'ClaimRefused',
      'ToolCallFailed',
    ]);
    expect(types.slice(-4)).toEqual(['ClaimAccepted', 'TodoCompleted', 'ToolCallCompleted', 'PhaseCompleted']);
    const [claim] = await readEvents(jobId, 'ClaimRaised');
    expect(claim!.data).toMatchObject({ runs: [{ kind: 'guard', name: 'tests' }] });
    expect((await readEvents(jobId, 'ClaimRefused'))[0]!.data).toMatchObject({ claim: claim!.data['claim'] });
    expect(seen[2]).toContain('the guard tests refuses it: the tests were not run');
  });

  it('is asked after the verifiers and before the judges, once each', async () => {
    const order: string[] = [];
    const verifiers = implementPack(checksSpec, {
      run_verifier: async (_context, { name }) => {
        order.push(name);
        return {
          content: 'passed',
          result: { outcome: 'passed', reason: '', definition: '0'.repeat(64), changedInputs: [] },
        };
      },
    });
    const { engine, readEvents } = play(
      { tests: [{ decision: 'context', context: 'seen' }] },
      {
        guards: [command('tests', ['TaskCompleted'])],
        checks: [{ verifier: 'unit' }, { judge: 'diff-review' }],
        packs: [verifiers],
        replies: [WRITE, CLAIM, { content: '{"objection": false, "reason": ""}' }],
      },
    );
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const raised = await readEvents(jobId, 'ClaimRaised');
    expect(raised.map(({ data }) => (data['runs'] as { kind: string }[]).map(({ kind }) => kind))).toEqual([
      ['verifier'],
      ['verifier', 'guard'],
      ['verifier', 'guard', 'judge'],
    ]);
    expect((await readEvents(jobId, 'GuardDecided')).length).toBe(1);
    expect(order).toEqual(['unit']);
  });

  it('refuses if its run fails, and is skipped if it says so', async () => {
    const lost = new ToolError('guard_unusable', 'its files are gone');
    const closed = play({ tests: [lost] }, { guards: [command('tests', ['TaskCompleted'])] });
    const jobId = await closed.engine.submitAndRun();
    expect((await closed.engine.loadJob(jobId)).status).toBe('completed');
    expect((await closed.readEvents(jobId, 'GuardDecided')).map(({ data }) => data)).toMatchObject([
      {
        decision: 'deny',
        failure: { code: 'guard_run_failed' },
        reason: expect.stringContaining('its files are gone'),
      },
    ]);
    const open = play({ tests: [lost] }, { guards: [command('tests', ['TaskCompleted'], { onFailure: 'continue' })] });
    const other = await open.engine.submitAndRun();
    expect(await open.readEvents(other, 'ClaimRefused')).toEqual([]);
    expect((await open.readEvents(other, 'GuardDecided'))[0]!.data).toMatchObject({ decision: 'allow' });
  });

  it('in shadow is asked and refuses nothing; in draft it is not asked', async () => {
    const { engine, asked, readEvents } = play(
      { shadow: [DENY], draft: [DENY] },
      {
        guards: [
          command('shadow', ['TaskCompleted'], { stage: 'shadow' }),
          command('draft', ['TaskCompleted'], { stage: 'draft' }),
        ],
      },
    );
    const jobId = await engine.submitAndRun();
    expect(asked.map(({ guards }) => guards)).toEqual([['shadow']]);
    expect((await readEvents(jobId, 'GuardDecided', 'ClaimRefused')).map(({ type }) => type)).toEqual(['GuardDecided']);
  });
});

describe('the end of a phase of another agent than that of the job', () => {
  it('is a SubagentStop, and no Stop', async () => {
    const { pack, asked } = createHooks({ ofOther: [DENY] });
    const guards = [command('ofOther', ['SubagentStop']), command('ofOwn', ['Stop'])];
    const hash = '0'.repeat(64);
    const agents = createAgentSource({
      definition: defineAgent('lead', { guards }),
      agents: [coder, tester].map((one) => ({ definition: { ...one, guards }, hash, instructions: 'Work.\n' })),
    });
    const coded = workAndReturn(write('work/result.txt', 'one\n'), { summary: 'one' });
    const { engine } = playScript(opened.store, { 1: [coded], 2: [coded], 3: REPORT }, agents, [pack]);
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.map(({ point }) => point)).toEqual(['SubagentStop', 'SubagentStop', 'SubagentStop', 'Stop']);
    expect(asked.slice(0, 3).map(({ occasion }) => occasion?.isRepeated)).toEqual([false, true, false]);
  });
});

describe('a judge as a guard', () => {
  const judge = (point: 'TaskCompleted' | 'Stop') => ({
    ...command('honest', [point]),
    kind: 'judge' as const,
    body: { prompt: 'Object if a source is missing. $ARGUMENTS' },
  });

  it.each(['TaskCompleted', 'Stop'] as const)('is asked last at %s, and refuses with its reason', async (point) => {
    const judged: string[] = [];
    const verdicts = ['{"objection": true, "reason": "no source"}', 'unclear', '{"objection": false, "reason": ""}'];
    let turn = 0;
    const { engine, asked, readEvents } = play(
      {},
      {
        guards: [command('tests', [point]), judge(point)],
        policy: (request) => {
          const [system] = request.messages;
          if (!system?.content.includes('"objection"')) return turn++ % 2 === 0 ? WRITE : CLAIM;
          judged.push(system.content);
          return { content: verdicts[judged.length - 1]! };
        },
      },
    );
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(judged.length).toBe(3);
    expect(judged[0]).toContain('Object if a source is missing. the claim and the changes below');
    expect(asked.length).toBe(3);
    const decided = (await readEvents(jobId, 'GuardDecided')).map(({ data }) => data);
    expect(decided).toMatchObject([
      { guard: { name: 'honest', kind: 'judge' }, decision: 'deny', reason: 'no source' },
      { decision: 'deny', failure: { code: 'guard_run_failed' } },
    ]);
    const position = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    expect(await replay(engine, jobId, position)).toEqual(await outcomeOf(jobId));
    expect(judged.length).toBe(3);
  });
});

describe('a long text of a hook', () => {
  it('is stored as a file, and the claim stays open', async () => {
    const files = [{ path: 'tool_results/guards/1.txt', content: new TextEncoder().encode('long') }];
    const { engine, asked, readEvents } = play(
      { tests: [{ ...DENY, files }] },
      { guards: [command('tests', ['TaskCompleted'])] },
    );
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.length).toBe(2);
    expect((await readEvents(jobId, 'ClaimRaised')).length).toBe(2);
    expect((await readEvents(jobId, 'ClaimRefused')).length).toBe(1);
  });
});

describe('a hook at Stop', () => {
  it('refuses the end, is told the last message, and that it refused before', async () => {
    const { engine, asked, seen, readEvents } = play(
      { stop: [{ ...DENY, context: 'Run them with npm test.' }] },
      { guards: [command('stop', ['Stop'])], replies: [WRITE, { ...CLAIM, content: 'I am done' }, WRITE] },
    );
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.map(({ occasion }) => occasion)).toEqual([
      { isRepeated: false, lastMessage: 'I am done' },
      { isRepeated: true, lastMessage: '' },
    ]);
    const types = (await readEvents(jobId)).map(({ type }) => type);
    const refused = types.indexOf('ClaimRefused');
    expect(types.slice(refused - 1, refused + 2)).toEqual(['GuardDecided', 'ClaimRefused', 'TransitionRejected']);
    expect(types.slice(-2)).toEqual(['ClaimAccepted', 'PhaseCompleted']);
    expect(seen[2]).toContain('refuses it: the tests were not run\nRun them with npm test.');
  });

  it('fails the phase after the limit of refusals', async () => {
    const replies = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? WRITE : CLAIM));
    const answers = { stop: Array.from({ length: 20 }, () => DENY) };
    const { engine, asked } = play(answers, { guards: [command('stop', ['Stop'])], replies, retries: 0 });
    const { status, failure } = await engine.loadJob(await engine.submitAndRun());
    expect([status, failure?.code, asked.length]).toEqual(['failed', 'gate_rejected', 6]);
  });
});

describe('a hook whose process died', () => {
  it.each([
    ['denies if it may not be asked twice', false, 1, 'deny'],
    ['is asked again if it may', true, 2, undefined],
  ])('%s', async (_case, idempotent, times, decision) => {
    const never = new Promise(() => undefined);
    const { engine, asked, readEvents } = play(
      { tests: [never] },
      { guards: [command('tests', ['TaskCompleted'], { idempotent })] },
    );
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    await engine.deliver(engine.messages.shift()!, engine.worker(), engine.toolRunner());
    const { payload } = engine.messages.shift()!;
    const work = { ...payload, callId: payload.callId! };
    engine.alive.add('first');
    void engine.toolRunner('first').run(work, new AbortController().signal, 0);
    await expect.poll(() => asked.length).toBe(1);
    engine.alive.delete('first');
    expect(await engine.toolRunner('second').run(work, new AbortController().signal, 1)).toBe('released');
    expect(asked.length).toBe(times);
    const [ended] = (await readEvents(jobId, 'ToolCallCompleted', 'ToolCallFailed')).slice(-1);
    expect(ended!.data['callId']).toBe('claim_1_1_1');
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const decided = await readEvents(jobId, 'GuardDecided');
    expect(decided.map(({ data }) => data['decision'])).toEqual(decision === undefined ? [] : [decision]);
  });
});

describe('a claim with hooks', () => {
  const guards = [command('one', ['TaskCompleted']), command('two', ['TaskCompleted']), command('end', ['Stop'])];

  it('is decided once, wherever workers and tool-runners are lost', async () => {
    const replies = [WRITE, CLAIM, CLAIM, WRITE];
    const { engine, asked, readEvents } = play({ two: [DENY], end: [DENY] }, { guards, replies });
    const jobId = await runLosingProcesses(engine);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect((await readEvents(jobId, 'GuardDecided')).map(({ data }) => data['guard'])).toMatchObject([
      { name: 'two' },
      { name: 'end' },
    ]);
    expect((await readEvents(jobId, 'ClaimRefused')).length).toBe(2);
    expect(asked.map(({ guards: [name] }) => name)).toEqual(['one', 'two', 'one', 'two', 'end', 'one', 'two', 'end']);
  });

  it('is repeated by a recorded fork, which asks none', async () => {
    const { engine, asked } = play({ two: [DENY], end: [{ decision: 'context', context: 'c' }] }, { guards });
    const jobId = await engine.submitAndRun();
    const before = asked.length;
    const position = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    expect(await replay(engine, jobId, position)).toEqual(await outcomeOf(jobId));
    expect(asked.length).toBe(before);
  });
});
