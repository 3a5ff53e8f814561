import { describe, expect, it, vi } from 'vitest';
import { requestControl, withFetchTool } from './control.fixture.js';
import { type Engine } from './engine.js';
import { call, DO_THE_TODO, createThreePhasePolicy, parsePrompt } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

describe('a paused job', () => {
  it('keeps the answer in flight, takes no further step, and resumes where it stopped', async () => {
    let jobId = '';
    let asked = 0;
    const subject: Engine = engine(
      createThreePhasePolicy(async (request) => {
        if (asked++ === 0)
          expect(await requestControl(subject, jobId, { action: 'pause', reason: 'lunch' })).toEqual({
            kind: 'recorded',
          });
        return parsePrompt(request).turn === 0 ? call('write_file', { path: 'a.txt', content: 'a' }) : DO_THE_TODO;
      }),
    );
    jobId = await subject.submit();
    await subject.run(jobId);
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'paused',
      paused: { actor: 'ada', reason: 'lunch' },
    });
    expect((await subject.eventTypes(jobId, 2)).slice(-4)).toEqual([
      'ModelCallStarted',
      'PhasePaused',
      'ModelResponded',
      'ToolCallRequested',
    ]);
    await subject.reconciler.runPass(() => undefined);
    expect(subject.messages).toEqual([]);

    expect(await requestControl(subject, jobId, { action: 'pause' })).toEqual({ kind: 'nothing-to-do' });
    expect(await requestControl(subject, jobId, { action: 'resume' })).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
    expect((await subject.loadPhase(jobId, 2)).money.spending.steps).toBe(2);
  });

  it('starts no tool that had not begun, and starts it after it is resumed', async () => {
    const runs: string[] = [];
    const subject = engine(
      createThreePhasePolicy((request) => (parsePrompt(request).turn === 0 ? call('fetch') : DO_THE_TODO)),
      withFetchTool(runs),
    );
    const jobId = await subject.submit();
    const [worker, runner] = [subject.worker(), subject.toolRunner()];
    await subject.runUntilToolCall(jobId, worker, runner);
    await requestControl(subject, jobId, { action: 'pause' });
    await subject.run(jobId);
    expect(runs).toEqual([]);
    await requestControl(subject, jobId, { action: 'resume' });
    await subject.run(jobId);
    expect(runs).toHaveLength(1);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('stays paused if an orchestrator read the job before it was paused, and its phase after', async () => {
    const subject = engine(createThreePhasePolicy());
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    const load = subject.repository.loadPhase.bind(subject.repository);
    vi.spyOn(subject.repository, 'loadPhase').mockImplementationOnce(async (id, phase) => {
      expect(await requestControl(other, jobId, { action: 'pause' })).toEqual({ kind: 'recorded' });
      return load(id, phase);
    });
    const other = engine(createThreePhasePolicy());
    await subject.driver.advance(jobId);
    expect(await subject.eventTypes(jobId, 1)).not.toContain('PhaseResumed');
    expect((await subject.loadPhase(jobId, 1)).paused).toBeDefined();
    await requestControl(subject, jobId, { action: 'resume' });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('does not count the pause as wall time', async () => {
    const subject = engine(createThreePhasePolicy());
    const jobId = await subject.submit({ budgets: { maxWallTimeMs: 60_000 } });
    await subject.driver.advance(jobId);
    const before = (await subject.loadJob(jobId)).deadlineAt!;
    await requestControl(subject, jobId, { action: 'pause' });
    await requestControl(subject, jobId, { action: 'resume' });
    const job = await subject.loadJob(jobId);
    expect(Date.parse(job.deadlineAt!)).toBeGreaterThanOrEqual(Date.parse(before));
    expect((await subject.loadPhase(jobId, 1)).money.allowance.deadlineAt).toBe(job.deadlineAt);
  });
});

describe('a message from a person', () => {
  it('is part of the next model call and does not discard an answer in flight', async () => {
    const received: string[] = [];
    let during: (() => Promise<unknown>) | undefined;
    const subject = engine(
      createThreePhasePolicy(async (request) => {
        received.push(request.messages.at(-1)!.content);
        await during?.();
        during = undefined;
        return parsePrompt(request).turn === 0 ? call('write_file', { path: 'a.txt', content: 'a' }) : DO_THE_TODO;
      }),
    );
    const jobId = await subject.submit();
    during = () => requestControl(subject, jobId, { action: 'steer', message: 'Use the second edition.' });
    await subject.run(jobId);
    expect(received).toHaveLength(2);
    expect(received[1]).toBe('Message from ada: Use the second edition.');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('delays the end of a phase until the model has read it', async () => {
    const received: string[] = [];
    let during: (() => Promise<unknown>) | undefined;
    const subject = engine(
      createThreePhasePolicy(async (request) => {
        received.push(request.messages.at(-1)!.content);
        await during?.();
        during = undefined;
        return parsePrompt(request).turn === 0 ? DO_THE_TODO : {};
      }),
    );
    const jobId = await subject.submit();
    during = () => requestControl(subject, jobId, { action: 'steer', message: 'One more thing.' });
    await subject.run(jobId);
    expect(received).toEqual([expect.anything(), 'Message from ada: One more thing.']);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('waits for the next phase if none is running', async () => {
    const received: string[] = [];
    const subject = engine((request, signal) => {
      received.push(
        ...request.messages.filter(({ content }) => content.startsWith('Message')).map(({ content }) => content),
      );
      return createThreePhasePolicy()(request, signal);
    });
    const jobId = await subject.submit();
    await requestControl(subject, jobId, { action: 'steer', message: 'Before you begin.' });
    await subject.run(jobId);
    expect(received[0]).toBe('Message from ada: Before you begin.');
  });
});
