import { describe, expect, it } from 'vitest';
import { requestControl, withFetchTool } from './control.fixture.js';
import { call, DO_THE_TODO, PLAN_ONE_TODO, createThreePhasePolicy, parsePrompt } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

describe('a cancelled job', () => {
  it('stops the running model call', async () => {
    let stopped = false;
    const called = Promise.withResolvers<void>();
    const subject = engine(
      (_request, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped = true;
            reject(signal.reason as Error);
          });
          called.resolve();
        }),
    );
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    const worker = subject.worker();
    const running = subject.deliver(subject.messages.shift()!, worker, subject.toolRunner());
    await called.promise;
    await requestControl(subject, jobId, { action: 'cancel', reason: 'enough' });
    await worker.recheck(jobId);
    expect(await running).toBe('released');
    expect(stopped).toBe(true);
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'cancelled',
      unconfirmed: { tokens: expect.any(Number) },
    });
  });

  it('stops the running tool and discards its result', async () => {
    let stopped: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => (stopped = resolve));
    const { packs, agent } = withFetchTool([]);
    const hanging = {
      ...packs![0]!.tools[0]!,
      run: ({ signal }: { signal: AbortSignal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            stopped!();
            resolve({ content: 'too late' });
          }),
        ),
    };
    const subject = engine(
      createThreePhasePolicy(() => call('fetch')),
      {
        ...(agent ? { agent } : {}),
        packs: [{ name: 'hanging', tools: [hanging as never] }],
      },
    );
    const jobId = await subject.submit();
    const [worker, runner] = [subject.worker(), subject.toolRunner()];
    await subject.runUntilToolCall(jobId, worker, runner);
    const running = subject.deliver(subject.messages.shift()!, worker, runner);
    await subject.waitUntilQuiet(jobId);
    await requestControl(subject, jobId, { action: 'cancel', reason: 'enough' });
    await runner.recheck(jobId);
    await ended;
    expect(await running).toBe('released');
    const ends = (await subject.eventTypes(jobId, 2)).filter((type) => type.startsWith('ToolCall'));
    expect(ends).toEqual(['ToolCallRequested', 'ToolCallFailed']);
  });
});

describe('a failed job that is retried', () => {
  it('continues from the failed phase, with its todos and files', async () => {
    let broken = true;
    const subject = engine(
      createThreePhasePolicy((request) => {
        if (parsePrompt(request).turn === 0 && broken) return call('write_file', { path: 'half.txt', content: 'half' });
        return broken ? {} : DO_THE_TODO;
      }),
    );
    const jobId = await subject.submitAndRun();
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'failed',
      failure: { code: 'stopped_early' },
    });
    const phases = (await subject.loadJob(jobId)).phases;

    broken = false;
    expect(await requestControl(subject, jobId, { action: 'retry', reason: 'the model is back' })).toEqual({
      kind: 'recorded',
    });
    await subject.run(jobId);
    const job = await subject.loadJob(jobId);
    expect(job).toMatchObject({ status: 'completed' });
    const retried = (await subject.phaseEvents(jobId, phases + 1))[0]!.data;
    expect(retried).toMatchObject({
      identity: { state: 'execute', attempt: 1 },
      workspace: { tree: { 'half.txt': { size: 4 } } },
    });
  });

  it('may get a higher budget', async () => {
    const subject = engine(createThreePhasePolicy(), { pricePerMillion: 1_000 });
    const jobId = await subject.submitAndRun({ budgets: { maxCostUsd: 0.5 } });
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'aborted',
      failure: { code: 'cost_limit' },
    });
    await requestControl(subject, jobId, { action: 'retry', budgets: { maxCostUsd: 100 } });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('cannot be one that is running or completed', async () => {
    const subject = engine(createThreePhasePolicy());
    const jobId = await subject.submit();
    expect(await requestControl(subject, jobId, { action: 'retry' })).toMatchObject({ kind: 'refused' });
    await subject.run(jobId);
    expect(await requestControl(subject, jobId, { action: 'retry' })).toMatchObject({ kind: 'refused' });
  });
});

describe('a newer definition', () => {
  it('applies from the next phase on, and only on request', async () => {
    const subject = engine(createThreePhasePolicy());
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    const { definition } = await subject.loadJob(jobId);
    const agent = { ...definition.agent, limits: { ...definition.agent.limits, steps: 77 } };
    const newer = { ...definition, agent, agentHash: '7'.repeat(64) };
    expect(await requestControl(subject, jobId, { action: 'change-definition', definition: newer })).toEqual({
      kind: 'recorded',
    });
    await subject.run(jobId);
    const steps = async (phase: number) =>
      ((await subject.phaseEvents(jobId, phase))[0]!.data['terms'] as { limits: { steps: number } }).limits.steps;
    expect([await steps(1), await steps(2), await steps(3)]).toEqual([200, 77, 77]);
  });

  it('is refused when it lacks a state that the job may be in', async () => {
    const subject = engine(() => PLAN_ONE_TODO);
    const jobId = await subject.submit();
    const { definition } = await subject.loadJob(jobId);
    const { review: _gone, ...states } = definition.workflow.states;
    const newer = { ...definition, workflow: { ...definition.workflow, states }, workflowHash: '7'.repeat(64) };
    expect(await requestControl(subject, jobId, { action: 'change-definition', definition: newer })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('review'),
    });
  });
});
