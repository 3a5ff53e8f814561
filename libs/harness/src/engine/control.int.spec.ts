import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ControlRequest } from '@phaseline/domain';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { call, PLAN_ONE_TODO, createThreePhasePolicy, parsePrompt } from './scripts.js';
import { offerTool } from './offer-tool.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();

const engine = (policy: Policy, options: Partial<EngineOptions> = {}) =>
  new Engine({ store: opened.store, policy, ...options });
const requestControl = (subject: Engine, jobId: string, request: object) =>
  subject.driver.control(jobId, { actor: 'ada', reason: '', ...request } as ControlRequest);
const eventTypes = async (subject: Engine, jobId: string, phase: number) =>
  (await subject.phaseEvents(jobId, phase)).map(({ type }) => type);

const withFetchTool = (runs: string[]) =>
  offerTool({
    name: 'fetch',
    effect: 'pure',
    timeoutMs: 5_000,
    input: z.object({}),
    run: async (context) => {
      runs.push(context.callId);
      return { content: 'fetched' };
    },
  });

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
        return parsePrompt(request).turn === 0
          ? call('write_file', { path: 'a.txt', content: 'a' })
          : call('todo_complete');
      }),
    );
    jobId = await subject.submit();
    await subject.run(jobId);
    expect(await subject.repository.loadJob(jobId)).toMatchObject({
      status: 'paused',
      paused: { actor: 'ada', reason: 'lunch' },
    });
    expect((await eventTypes(subject, jobId, 2)).slice(-4)).toEqual([
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
    expect(await subject.repository.loadJob(jobId)).toMatchObject({ status: 'completed' });
    expect((await subject.repository.loadPhase(jobId, 2))!.money.spending.steps).toBe(2);
  });

  it('starts no tool that had not begun, and starts it after it is resumed', async () => {
    const runs: string[] = [];
    const subject = engine(
      createThreePhasePolicy((request) => (parsePrompt(request).turn === 0 ? call('fetch') : call('todo_complete'))),
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
    expect((await subject.repository.loadJob(jobId))?.status).toBe('completed');
  });

  it('does not count the pause as wall time', async () => {
    const subject = engine(createThreePhasePolicy(() => call('todo_complete')));
    const jobId = await subject.submit({ budgets: { maxWallTimeMs: 60_000 } });
    await subject.driver.advance(jobId);
    const before = (await subject.repository.loadJob(jobId))!.deadlineAt!;
    await requestControl(subject, jobId, { action: 'pause' });
    await requestControl(subject, jobId, { action: 'resume' });
    const job = (await subject.repository.loadJob(jobId))!;
    expect(Date.parse(job.deadlineAt!)).toBeGreaterThanOrEqual(Date.parse(before));
    expect((await subject.repository.loadPhase(jobId, 1))!.money.allowance.deadlineAt).toBe(job.deadlineAt);
  });
});

describe('a repeated or late request', () => {
  const position = async (subject: Engine, jobId: string): Promise<number> =>
    (await opened.store.readCorrelation(jobId)).at(-1)!.position;
  const asked = async (jobId: string, type: string): Promise<number> =>
    (await opened.store.readCorrelation(jobId, { types: [type] })).length;

  it('is recorded once per key and gets the same answer again, whatever was recorded in between', async () => {
    const subject = engine(createThreePhasePolicy(() => call('todo_complete')));
    const jobId = await subject.submit();
    const pause: ControlRequest = { action: 'pause', actor: 'ada', reason: 'lunch' };
    const resume: ControlRequest = { action: 'resume', actor: 'eve', reason: '' };
    const key = { idempotencyKey: 'k1' };
    expect(await subject.driver.control(jobId, pause, key)).toEqual({ kind: 'recorded' });
    expect(await subject.driver.control(jobId, pause, key)).toEqual({ kind: 'recorded' });
    expect(await subject.driver.control(jobId, resume, { idempotencyKey: 'k2' })).toEqual({ kind: 'recorded' });
    expect(await subject.driver.control(jobId, pause, key)).toEqual({ kind: 'recorded' });
    expect(await subject.repository.loadJob(jobId)).toMatchObject({ status: 'running' });
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
    expect(await subject.repository.loadJob(jobId)).toMatchObject({ status: 'completed' });
  });

  it('is refused only if another request was recorded after the state that its caller had read', async () => {
    const subject = engine(createThreePhasePolicy(() => call('todo_complete')));
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
    const subject = engine(createThreePhasePolicy(() => call('todo_complete')));
    const jobId = await subject.submit();
    const pause: ControlRequest = { action: 'pause', actor: 'ada', reason: '' };
    expect(await subject.driver.control(jobId, pause, { isStillWanted: () => false })).toEqual({ kind: 'too-late' });
    expect(await asked(jobId, 'JobPaused')).toBe(0);
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
        return parsePrompt(request).turn === 0
          ? call('write_file', { path: 'a.txt', content: 'a' })
          : call('todo_complete');
      }),
    );
    const jobId = await subject.submit();
    during = () => requestControl(subject, jobId, { action: 'steer', message: 'Use the second edition.' });
    await subject.run(jobId);
    expect(received).toHaveLength(2);
    expect(received[1]).toBe('Message from ada: Use the second edition.');
    expect((await subject.repository.loadJob(jobId))?.status).toBe('completed');
  });

  it('delays the end of a phase until the model has read it', async () => {
    const received: string[] = [];
    let during: (() => Promise<unknown>) | undefined;
    const subject = engine(
      createThreePhasePolicy(async (request) => {
        received.push(request.messages.at(-1)!.content);
        await during?.();
        during = undefined;
        return parsePrompt(request).turn === 0 ? call('todo_complete') : {};
      }),
    );
    const jobId = await subject.submit();
    during = () => requestControl(subject, jobId, { action: 'steer', message: 'One more thing.' });
    await subject.run(jobId);
    expect(received).toEqual([expect.anything(), 'Message from ada: One more thing.']);
    expect((await subject.repository.loadJob(jobId))?.status).toBe('completed');
  });

  it('waits for the next phase if none is running', async () => {
    const received: string[] = [];
    const subject = engine((request, signal) => {
      received.push(
        ...request.messages.filter(({ content }) => content.startsWith('Message')).map(({ content }) => content),
      );
      return createThreePhasePolicy(() => call('todo_complete'))(request, signal);
    });
    const jobId = await subject.submit();
    await requestControl(subject, jobId, { action: 'steer', message: 'Before you begin.' });
    await subject.run(jobId);
    expect(received[0]).toBe('Message from ada: Before you begin.');
  });
});

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
    expect(await subject.repository.loadJob(jobId)).toMatchObject({
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
    const ends = (await eventTypes(subject, jobId, 2)).filter((type) => type.startsWith('ToolCall'));
    expect(ends).toEqual(['ToolCallRequested', 'ToolCallFailed']);
  });
});

describe('a failed job that is retried', () => {
  it('continues from the failed phase, with its todos and files', async () => {
    let broken = true;
    const subject = engine(
      createThreePhasePolicy((request) => {
        if (parsePrompt(request).turn === 0 && broken) return call('write_file', { path: 'half.txt', content: 'half' });
        return broken ? {} : call('todo_complete');
      }),
    );
    const jobId = await subject.submit();
    await subject.run(jobId);
    expect(await subject.repository.loadJob(jobId)).toMatchObject({
      status: 'failed',
      failure: { code: 'stopped_early' },
    });
    const phases = (await subject.repository.loadJob(jobId))!.phases;

    broken = false;
    expect(await requestControl(subject, jobId, { action: 'retry', reason: 'the model is back' })).toEqual({
      kind: 'recorded',
    });
    await subject.run(jobId);
    const job = (await subject.repository.loadJob(jobId))!;
    expect(job).toMatchObject({ status: 'completed' });
    const retried = (await subject.phaseEvents(jobId, phases + 1))[0]!.data;
    expect(retried).toMatchObject({
      identity: { state: 'execute', attempt: 1 },
      workspace: { tree: { 'half.txt': { size: 4 } } },
    });
  });

  it('may get a higher budget', async () => {
    const subject = engine(
      createThreePhasePolicy(() => call('todo_complete')),
      { pricePerMillion: 1_000 },
    );
    const jobId = await subject.submit({ budgets: { maxCostUsd: 0.5 } });
    await subject.run(jobId);
    expect(await subject.repository.loadJob(jobId)).toMatchObject({
      status: 'failed',
      failure: { code: 'cost_limit' },
    });
    await requestControl(subject, jobId, { action: 'retry', budgets: { maxCostUsd: 100 } });
    await subject.run(jobId);
    expect((await subject.repository.loadJob(jobId))?.status).toBe('completed');
  });

  it('cannot be one that is running or completed', async () => {
    const subject = engine(createThreePhasePolicy(() => call('todo_complete')));
    const jobId = await subject.submit();
    expect(await requestControl(subject, jobId, { action: 'retry' })).toMatchObject({ kind: 'refused' });
    await subject.run(jobId);
    expect(await requestControl(subject, jobId, { action: 'retry' })).toMatchObject({ kind: 'refused' });
  });
});

describe('a call that needs approval', () => {
  const work = createThreePhasePolicy((request) =>
    parsePrompt(request).turn === 0 ? call('fetch') : call('todo_complete'),
  );
  const guarded = (runs: string[], expireAfterMs = 60_000) => {
    const { packs, agent } = withFetchTool(runs);
    return { ...(packs ? { packs } : {}), agent: { ...agent, approvals: { tools: ['fetch'], expireAfterMs } } };
  };

  it('waits for a person and runs once approved', async () => {
    const runs: string[] = [];
    const subject = engine(work, guarded(runs));
    const jobId = await subject.submit();
    await subject.run(jobId);
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
    expect((await subject.repository.loadJob(jobId))?.status).toBe('completed');
  });

  it('can be refused by a person, and the model reads the reason', async () => {
    const runs: string[] = [];
    const received: string[] = [];
    const subject = engine((request, signal) => {
      received.push(request.messages.at(-1)!.content);
      return work(request, signal);
    }, guarded(runs));
    const jobId = await subject.submit();
    await subject.run(jobId);
    await requestControl(subject, jobId, { action: 'refuse', callId: 'call_2_1_1', reason: 'not on a Sunday.' });
    await subject.run(jobId);
    expect(runs).toEqual([]);
    expect(received).toContain('Call denied: not on a Sunday.');
    expect((await subject.repository.loadJob(jobId))?.status).toBe('completed');
  });

  it('is refused automatically when it expires', async () => {
    const runs: string[] = [];
    const subject = engine(work, guarded(runs, 1_000));
    const jobId = await subject.submit();
    await subject.run(jobId);
    expect((await subject.repository.loadPhase(jobId, 2))!.end).toBeUndefined();
    subject.advanceTime(1_001);
    await subject.run(jobId);
    expect(runs).toEqual([]);
    expect((await eventTypes(subject, jobId, 2)).filter((type) => type.startsWith('Approval'))).toEqual([
      'ApprovalRequested',
      'ApprovalRefused',
    ]);
    expect((await subject.repository.loadJob(jobId))?.status).toBe('completed');
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
    const jobId = await subject.submit({ budgets: { maxWallTimeMs: 60_000 } });
    await subject.run(jobId);
    expect((await subject.repository.loadJob(jobId))?.status).toBe('running');
    subject.advanceTime(60_001);
    await subject.run(jobId);
    expect(await subject.repository.loadJob(jobId)).toMatchObject({
      status: 'failed',
      failure: { code: 'wall_time_limit' },
    });
    expect((await subject.repository.loadPhase(jobId, 2))!.end).toMatchObject({ kind: 'cancelled' });
  });

  it('delay a phase whose model could not be reached, longer each time', async () => {
    let down = true;
    const subject = engine(
      (request, signal) => {
        if (down) throw new Engine.ModelDown();
        return createThreePhasePolicy(() => call('todo_complete'))(request, signal);
      },
      { backoffMs: 10_000, retries: 5 },
    );
    const jobId = await subject.submit();
    await subject.run(jobId);
    expect((await subject.repository.loadJob(jobId))!.timers).toMatchObject({ 'backoff-1': { kind: 'backoff' } });
    subject.advanceTime(10_001);
    await subject.run(jobId);
    expect((await subject.repository.loadJob(jobId))!.phases).toBe(2);
    subject.advanceTime(10_001);
    await subject.run(jobId);
    expect((await subject.repository.loadJob(jobId))!.phases).toBe(2);
    down = false;
    subject.advanceTime(10_001);
    await subject.run(jobId);
    expect((await subject.repository.loadJob(jobId))?.status).toBe('completed');
  });
});

describe('a repeated identical failure', () => {
  it('of a call ends the phase after the configured number', async () => {
    const subject = engine(createThreePhasePolicy(() => call('read_file', { path: 'missing.txt' })));
    const jobId = await subject.submit();
    await subject.run(jobId);
    const failed = (await subject.phaseEvents(jobId, 2)).filter(({ type }) => type === 'ToolCallFailed');
    expect(failed).toHaveLength(5);
    expect((await subject.repository.loadPhase(jobId, 2))!.end).toMatchObject({
      kind: 'failed',
      code: 'repeated_failure',
    });
  });

  it('of a phase ends the job although attempts are left', async () => {
    const subject = engine(
      createThreePhasePolicy(() => ({})),
      { retries: 20 },
    );
    const jobId = await subject.submit();
    await subject.run(jobId);
    const job = (await subject.repository.loadJob(jobId))!;
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
    const ends = await eventTypes(subject, jobId, 2);
    expect(ends.filter((type) => type === 'PhaseTakenOver')).toHaveLength(8);
    expect((await subject.repository.loadPhase(jobId, 2))!.end).toMatchObject({ kind: 'failed', code: 'worker_lost' });
  });
});

describe('a newer definition', () => {
  it('applies from the next phase on, and only on request', async () => {
    const subject = engine(createThreePhasePolicy(() => call('todo_complete')));
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    const { definition } = (await subject.repository.loadJob(jobId))!;
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
    const { definition } = (await subject.repository.loadJob(jobId))!;
    const { review: _gone, ...states } = definition.workflow.states;
    const newer = { ...definition, workflow: { ...definition.workflow, states }, workflowHash: '7'.repeat(64) };
    expect(await requestControl(subject, jobId, { action: 'change-definition', definition: newer })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('review'),
    });
  });
});
