import { describe, expect, it } from 'vitest';
import type { ControlRequest } from '@phaseline/domain';
import { type Engine } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { opened, engine } = useEngines();

describe('a repeated or late request', () => {
  const position = async (subject: Engine, jobId: string): Promise<number> =>
    (await opened.store.readCorrelation(jobId)).at(-1)!.position;
  const asked = async (jobId: string, type: string): Promise<number> =>
    (await opened.store.readCorrelation(jobId, { types: [type] })).length;

  it('is recorded once per key and gets the same answer again, even if other events were recorded in between', async () => {
    const subject = engine(createThreePhasePolicy());
    const jobId = await subject.submit();
    const pause: ControlRequest = { action: 'pause', actor: 'ada', reason: 'lunch' };
    const resume: ControlRequest = { action: 'resume', actor: 'eve', reason: '' };
    const key = { idempotencyKey: 'k1' };
    expect(await subject.driver.control(jobId, pause, key)).toEqual({ kind: 'recorded' });
    expect(await subject.driver.control(jobId, pause, key)).toEqual({ kind: 'recorded' });
    expect(await subject.driver.control(jobId, resume, { idempotencyKey: 'k2' })).toEqual({ kind: 'recorded' });
    expect(await subject.driver.control(jobId, pause, key)).toEqual({ kind: 'recorded' });
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'running' });
    expect(await asked(jobId, 'JobPaused')).toBe(1);
    // The key belongs to that request of that job.
    expect(await subject.driver.control(jobId, resume, key)).toEqual({ kind: 'key-conflict' });
    expect(await subject.driver.control(await subject.submit(), pause, key)).toEqual({ kind: 'recorded' });
    const steer: ControlRequest = { action: 'steer', actor: 'ada', message: 'Mind the appendix.' };
    const both = [subject.driver.control(jobId, steer, { idempotencyKey: 'k3' })];
    both.push(engine(() => call('todo_complete')).driver.control(jobId, steer, { idempotencyKey: 'k3' }));
    expect(await Promise.all(both)).toEqual([{ kind: 'recorded' }, { kind: 'recorded' }]);
    expect(await asked(jobId, 'JobSteered')).toBe(1);
    expect(await asked(jobId, 'PhaseSteered')).toBe(1);
    await subject.run(jobId);
    expect(await subject.driver.control(jobId, steer, { idempotencyKey: 'k3' })).toEqual({ kind: 'recorded' });
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
  });

  it('is refused only if another request was recorded after the state that its caller had read', async () => {
    const subject = engine(createThreePhasePolicy());
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    const before = await position(subject, jobId);
    const pause: ControlRequest = { action: 'pause', actor: 'ada', reason: '' };
    await subject.driver.control(jobId, { action: 'steer', actor: 'bob', message: 'Go on.' });
    expect(await subject.driver.control(jobId, pause, { ifUnchangedSince: before })).toEqual({ kind: 'recorded' });
    await subject.driver.control(
      jobId,
      { action: 'resume', actor: 'eve', reason: '' },
      { ifUnchangedSince: await position(subject, jobId) },
    );
    expect(await subject.driver.control(jobId, pause, { ifUnchangedSince: before })).toEqual({
      kind: 'changed-since',
      reason: expect.stringMatching(
        /^eve resumed the job at .*after the state that this request is based on \(position \d+\)/,
      ),
    });
    expect(await asked(jobId, 'JobPaused')).toBe(1);
    const after = await position(subject, jobId);
    expect(await subject.driver.control(jobId, pause, { ifUnchangedSince: after })).toEqual({ kind: 'recorded' });
  });

  it('is not recorded once its caller has stopped waiting', async () => {
    const subject = engine(createThreePhasePolicy());
    const jobId = await subject.submit();
    const pause: ControlRequest = { action: 'pause', actor: 'ada', reason: '' };
    expect(await subject.driver.control(jobId, pause, { isStillWanted: () => false })).toEqual({ kind: 'too-late' });
    expect(await asked(jobId, 'JobPaused')).toBe(0);
  });
});
