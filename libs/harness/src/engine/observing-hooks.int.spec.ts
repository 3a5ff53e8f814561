import { ToolError, type JobId } from '@phaseline/contracts';
import { peoplePack } from '@phaseline/inline-packs';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { CLAIM, command, createHooks, playGuarded, WRITE, type GuardedPlay } from './guarded.fixture.js';
import { call } from './scripts.js';

const { opened, replay, outcomeOf } = useForks();

function play(given: GuardedPlay, answers: Parameters<typeof createHooks>[0] = {}) {
  const { pack, asked } = createHooks(answers);
  return { ...playGuarded(opened.store, { ...given, packs: [pack, ...(given.packs ?? [])] }), asked };
}

const DENY = { decision: 'deny', reason: 'no' };

describe('a hook at SessionEnd', () => {
  const guards = [command('stop', ['Stop']), command('bye', ['SessionEnd'])];

  it.each([
    ['refuses', DENY, 'ToolCallCompleted'],
    ['fails', new ToolError('guard_unusable', 'its files are gone'), 'ToolCallFailed'],
  ])('is told of the end that nobody refused, once, and changes nothing if it %s', async (_what, bye, ended) => {
    const { engine, asked, readEvents } = play(
      { guards, replies: [WRITE, CLAIM, WRITE, CLAIM] },
      { stop: [DENY], bye: [bye] },
    );
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.map(({ point }) => point)).toEqual(['Stop', 'Stop', 'SessionEnd']);
    expect((await readEvents(jobId, 'GuardDecided')).map(({ data }) => data)).toMatchObject([{ point: 'Stop' }]);
    expect((await readEvents(jobId)).map(({ type }) => type).slice(-5)).toEqual([
      'ClaimRaised',
      'ToolCallRequested',
      ended,
      'ClaimAccepted',
      'PhaseCompleted',
    ]);
  });

  it('is repeated by a recorded fork without being told again', async () => {
    const { engine, asked } = play({ guards });
    const jobId = await engine.submitAndRun();
    const before = asked.length;
    const position = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    expect(await replay(engine, jobId, position)).toEqual(await outcomeOf(jobId));
    expect(asked.length).toBe(before);
  });
});

describe('a hook at Notification', () => {
  const guards = [command('tell', ['Notification'])];
  const approvals = { tools: ['write_file'], expireAfterMs: 60_000 };

  it('is told once that a call needs an approval, and nothing waits for what it says', async () => {
    const { engine, asked, readEvents } = play({ guards, agent: { guards, approvals } }, { tell: [DENY] });
    const jobId = await engine.submitAndRun();
    expect(asked).toEqual([
      {
        point: 'Notification',
        guards: ['tell'],
        occasion: {
          type: 'permission_prompt',
          title: 'Permission needed',
          message: 'A call of write_file needs an approval.',
        },
      },
    ]);
    await engine.reconciler.runPass(() => undefined);
    await engine.run(jobId);
    await approve(engine, jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(asked.length).toBe(1);
    expect(await readEvents(jobId, 'GuardDecided')).toEqual([]);
    expect((await readEvents(jobId, 'FileWritten')).length).toBeGreaterThan(0);
  });

  it('is told of a question', async () => {
    const { engine, asked } = play({
      guards,
      packs: [peoplePack],
      agent: { guards, tools: { ...toolsWith(), strategic: ['todo_complete', 'ask_person'] } },
      replies: [call('ask_person', { question: 'Which colour?', deadline: '8h' }), CLAIM],
    });
    await engine.submitAndRun();
    expect(asked.map(({ occasion }) => occasion?.type)).toEqual(['elicitation_dialog']);
  });

  async function approve(engine: ReturnType<typeof play>['engine'], jobId: JobId): Promise<void> {
    const [callId] = (await engine.loadPhase(jobId, 1)).calls.lastResponseCallIds;
    expect(await requestControl(engine, jobId, { action: 'approve', callId })).toEqual({ kind: 'recorded' });
    await engine.run(jobId);
  }
});
