import { describe, expect, it } from 'vitest';
import { requestControl, withFetchTool } from './control.fixture.js';
import { Engine } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

describe('a call that needs approval', () => {
  const work = createThreePhasePolicy([call('fetch')]);
  const guarded = (runs: string[], expireAfterMs = 60_000) => {
    const { packs, agent } = withFetchTool(runs);
    return { ...(packs ? { packs } : {}), agent: { ...agent, approvals: { tools: ['fetch'], expireAfterMs } } };
  };

  it('waits for a person and runs once approved', async () => {
    const runs: string[] = [];
    const subject = engine(work, guarded(runs));
    const jobId = await subject.submitAndRun();
    await subject.reconciler.runPass(() => undefined);
    await subject.run(jobId);
    expect(runs).toEqual([]);
    expect(subject.messages.map(({ queue }) => queue)).toEqual([]);
    expect(await requestControl(subject, jobId, { action: 'approve', callId: 'call_9' })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('call_2_1_1'),
    });
    expect(await requestControl(subject, jobId, { action: 'approve', callId: 'call_2_1_1' })).toEqual({
      kind: 'recorded',
    });
    await subject.run(jobId);
    expect(runs).toEqual(['call_2_1_1']);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('can be refused by a person, and the model reads the reason', async () => {
    const runs: string[] = [];
    const received: string[] = [];
    const subject = engine((request, signal) => {
      received.push(request.messages.at(-1)!.content);
      return work(request, signal);
    }, guarded(runs));
    const jobId = await subject.submitAndRun();
    await requestControl(subject, jobId, { action: 'refuse', callId: 'call_2_1_1', reason: 'not on a Sunday.' });
    await subject.run(jobId);
    expect(runs).toEqual([]);
    expect(received).toContain('Call denied: not on a Sunday.');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('is refused automatically when it expires', async () => {
    const runs: string[] = [];
    const subject = engine(work, guarded(runs, 1_000));
    const jobId = await subject.submitAndRun();
    expect((await subject.loadPhase(jobId, 2)).end).toBeUndefined();
    subject.advanceTime(1_001);
    await subject.run(jobId);
    expect(runs).toEqual([]);
    expect((await subject.eventTypes(jobId, 2)).filter((type) => type.startsWith('Approval'))).toEqual([
      'ApprovalRequested',
      'ApprovalRefused',
    ]);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });
});

describe('timers', () => {
  it('end a job whose wall time expires while its phase waits for a person', async () => {
    const { packs, agent } = withFetchTool([]);
    const subject = engine(
      createThreePhasePolicy(() => call('fetch')),
      {
        ...(packs ? { packs } : {}),
        agent: { ...agent, approvals: { tools: ['fetch'], expireAfterMs: 10_000_000 } },
      },
    );
    const jobId = await subject.submitAndRun({ budgets: { maxWallTimeMs: 60_000 } });
    expect((await subject.loadJob(jobId)).status).toBe('running');
    subject.advanceTime(60_001);
    await subject.run(jobId);
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'aborted',
      failure: { code: 'wall_time_limit' },
    });
    expect((await subject.loadPhase(jobId, 2)).end).toMatchObject({ kind: 'cancelled' });
  });

  it('delay a phase whose model could not be reached, longer each time', async () => {
    let down = true;
    const subject = engine(
      (request, signal) => {
        if (down) throw new Engine.ModelDown();
        return createThreePhasePolicy()(request, signal);
      },
      { backoffMs: 10_000, retries: 5 },
    );
    const jobId = await subject.submitAndRun();
    expect((await subject.loadJob(jobId)).timers).toMatchObject({ 'backoff-1': { kind: 'backoff' } });
    subject.advanceTime(10_001);
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).phases).toBe(2);
    subject.advanceTime(10_001);
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).phases).toBe(2);
    down = false;
    subject.advanceTime(10_001);
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });
});
