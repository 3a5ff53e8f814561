import { describe, expect, it } from 'vitest';
import { call, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

describe('a repeated identical failure', () => {
  it('of a call ends the phase after the configured number', async () => {
    const subject = engine(createThreePhasePolicy(() => call('read_file', { path: 'missing.txt' })));
    const jobId = await subject.submitAndRun();
    const failed = (await subject.phaseEvents(jobId, 2)).filter(({ type }) => type === 'ToolCallFailed');
    expect(failed).toHaveLength(5);
    expect((await subject.loadPhase(jobId, 2)).end).toMatchObject({
      kind: 'failed',
      code: 'repeated_failure',
    });
  });

  it('of a phase ends the job although attempts are left', async () => {
    const subject = engine(
      createThreePhasePolicy(() => ({})),
      { retries: 20 },
    );
    const jobId = await subject.submitAndRun();
    const job = await subject.loadJob(jobId);
    expect(job).toMatchObject({ status: 'failed', failure: { code: 'stopped_early' } });
    expect(job.last!.attempt).toBe(5);
  });

  it('of workers during one call ends the phase', async () => {
    const subject = engine(createThreePhasePolicy(() => new Promise<never>(() => undefined)));
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    const runner = subject.toolRunner();
    for (let death = 0; death < 10; death += 1) {
      await subject.reconciler.runPass(() => undefined);
      const name = `worker-${death}`;
      subject.alive.add(name);
      const worker = subject.worker(name);
      while (subject.messages.length > 0) {
        void subject.deliver(subject.messages.shift()!, worker, runner);
        await subject.waitUntilQuiet(jobId);
        await subject.driver.advance(jobId);
      }
      subject.alive.delete(name);
    }
    const ends = await subject.eventTypes(jobId, 2);
    expect(ends.filter((type) => type === 'PhaseTakenOver')).toHaveLength(8);
    expect((await subject.loadPhase(jobId, 2)).end).toMatchObject({ kind: 'failed', code: 'worker_lost' });
  });
});
