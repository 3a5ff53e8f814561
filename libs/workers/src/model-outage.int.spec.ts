import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeWaiter, findWaiter, type PhaseState } from '@phaseline/domain';
import { openModels } from './model-catalogue.js';
import { workerConfig } from './worker-config.js';
import {
  Engine,
  openStore,
  createThreePhasePolicy,
  WireServer,
  type EngineOptions,
  type OpenStore,
  type ResponseFault,
  type WireServerOptions,
} from '@phaseline/harness';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(async () => {
  await opened.close();
});
const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
});

const HOUR = 3_600_000;
const respondWith =
  (code: number, headers: Record<string, string> = {}): ResponseFault =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end('{"error":{"message":"no"}}');
const resets: ResponseFault = (response) => void response.destroy();

/** Starts an engine that never sleeps: its clock moves forward instead. */
async function startEngine(server: WireServerOptions, options: Partial<EngineOptions> = {}) {
  const policy = createThreePhasePolicy();
  const wire = await WireServer.start(policy, { profile: { prices: { outputUsdPerMillion: 1 } }, ...server });
  cleanUp.push(() => wire.close());
  const slept: number[] = [];
  const engine: Engine = new Engine({
    store: opened.store,
    policy,
    model: wire.model,
    retries: 0,
    modelWaitMs: 6 * HOUR,
    sleep: async (delayMs) => {
      slept.push(delayMs);
      engine.advanceTime(delayMs);
    },
    ...options,
  });
  return { wire, engine, slept };
}

/** Waits until the state of the job's first phase matches. */
async function waitForPhase(
  engine: Engine,
  jobId: string,
  matches: (state: PhaseState) => boolean,
): Promise<PhaseState> {
  for (;;) {
    const state = await engine.repository.loadPhase(jobId, 1);
    if (state && matches(state)) return state;
    await sleep(5);
  }
}

const countOf = (events: readonly { type: string }[], type: string): number =>
  events.filter((event) => event.type === type).length;

describe('an outage of the model server', () => {
  const free: readonly [string, ResponseFault, number][] = [
    ['it is busy', respondWith(429), 80],
    ['it is loading', respondWith(503), 80],
    ['it asks for a longer wait than the profile allows', respondWith(429, { 'retry-after': '600' }), 20],
  ];

  it.each(free)('is waited out with one event and at no cost: %s', async (_, fault, requests) => {
    const { engine, wire, slept } = await startEngine({
      fault: (request) => (request <= requests ? fault : undefined),
    });
    const jobId = await engine.submitAndRun({ budgets: { maxCostUsd: 0.01 } });
    const job = await engine.loadJob(jobId);
    expect(job.status).toBe('completed');
    expect(job.unconfirmed).toEqual({ costMicroUsd: 0, tokens: 0 });
    const events = await engine.phaseEvents(jobId, 1);
    expect(events.slice(0, 5).map(({ type }) => type)).toEqual([
      'PhaseStarted',
      'FileWritten',
      'ModelCallStarted',
      'ModelAwaited',
      'ModelResponded',
    ]);
    expect(wire.requests.length).toBeGreaterThan(requests);
    // The backoff grows to minutes and is never shorter than the server requests.
    expect(Math.max(...slept)).toBeGreaterThanOrEqual(225_000);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(2 * HOUR);
  });

  it('causes few attempts that may be charged, each with its reservation', async () => {
    const { engine, slept } = await startEngine({ fault: (request) => (request <= 12 ? respondWith(500) : undefined) });
    const jobId = await engine.submitAndRun({ budgets: { maxTokens: 100_000 } });
    const job = await engine.loadJob(jobId);
    expect(job.status).toBe('completed');
    const events = await engine.phaseEvents(jobId, 1);
    expect(countOf(events, 'ModelCallFailed')).toBe(12);
    expect(countOf(events, 'ModelCallStarted')).toBe(
      countOf(events, 'ModelCallFailed') + countOf(events, 'ModelResponded'),
    );
    expect(countOf(events, 'ModelAwaited')).toBe(1);
    // Twelve attempts span more than two hours.
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(2 * HOUR);
    const reserved = events
      .filter(({ type }) => type === 'ModelCallStarted')
      .slice(0, 12)
      .reduce((sum, { data }) => sum + Number(data['reservedTokens']), 0);
    expect(job.unconfirmed.tokens).toBe(reserved);
  });

  it('never exceeds the cap, regardless of the outcome of its attempts', async () => {
    const { engine, wire } = await startEngine({ fault: () => resets });
    const jobId = await engine.submitAndRun({ budgets: { maxTokens: 6_000 } });
    const job = await engine.loadJob(jobId);
    expect(job).toMatchObject({ status: 'aborted', failure: { code: 'token_limit' } });
    expect(job.unconfirmed.tokens).toBeLessThanOrEqual(6_000);
    expect(wire.requests.length).toBeLessThan(5);
  });

  it('ends the job after the time that the agent allows, with a message that says what to do', async () => {
    const { engine } = await startEngine({ fault: () => respondWith(503) }, { modelWaitMs: HOUR, retries: 3 });
    const jobId = await engine.submitAndRun();
    const job = await engine.loadJob(jobId);
    expect(job.status).toBe('failed');
    expect(job.failure?.message).toMatch(/The server has been unreachable since .*; retry the job once it is back/);
    expect(countOf(await engine.phaseEvents(jobId, 1), 'ModelCallStarted')).toBe(1);
    expect(job.phases).toBe(1);
    expect(job.unconfirmed.tokens).toBe(0);
  });

  it.each([
    ['a wrong key', 401],
    ['a missing permission', 403],
    ['an unknown model', 404],
    ['an invalid request', 400],
  ])('is distinguished from errors that waiting cannot fix: %s', async (_, code) => {
    const { engine, wire, slept } = await startEngine({ fault: () => respondWith(code) });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('failed');
    expect(wire.requests).toHaveLength(1);
    expect(slept).toEqual([]);
  });

  it('is reported as what the job waits for, and ends as soon as the server is back', async () => {
    const { engine, wire } = await startEngine(
      {},
      // The pause never ends on its own: only a successful probe ends it.
      {
        sleep: (_delayMs, signal) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
        probeEveryMs: 20,
      },
    );
    await wire.stop();
    const jobId = await engine.submit();
    const run = engine.run(jobId);
    const state = await waitForPhase(engine, jobId, ({ modelCall }) => modelCall.awaited !== undefined);
    const waiter = findWaiter(await engine.loadJob(jobId), state)!;
    expect(waiter).toMatchObject({ kind: 'lease', outage: { model: 'default' } });
    expect(describeWaiter(waiter)).toMatch(
      /^the server of the model default, which has been unreachable since .*cannot reach 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
    );
    await wire.restart();
    await run;
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect((await engine.loadPhase(jobId, 1)).modelCall.awaited).toBeUndefined();
  });

  it('ends for all waiting jobs when one of them gets an answer', async () => {
    let isDown = true;
    let pauses = 0;
    const { engine } = await startEngine(
      { fault: () => (isDown ? respondWith(429) : undefined) },
      {
        // The first pause lasts until the server is back, every other one until it is aborted.
        sleep: async (_delayMs, signal) => {
          if ((pauses += 1) === 1) while (isDown) await sleep(5);
          else await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        },
      },
    );
    const ids = [await engine.submit(), await engine.submit(), await engine.submit()];
    const worker = engine.worker();
    for (const jobId of ids) await engine.driver.advance(jobId);
    const messages = engine.messages.splice(0);
    const runs = messages.map((message) => engine.deliver(message, worker, engine.toolRunner()));
    for (const jobId of ids)
      await waitForPhase(engine, jobId, ({ modelCall: { awaited: awaitedModel } }) => awaitedModel !== undefined);
    isDown = false;
    await Promise.all(runs);
    for (const jobId of ids) expect((await engine.loadPhase(jobId, 1)).end?.kind).toBe('completed');
  });

  it('ends for a job that is resumed, and a pause stops the wait', async () => {
    let isDown = true;
    const { engine } = await startEngine(
      { fault: () => (isDown ? respondWith(503) : undefined) },
      {
        sleep: (_delayMs, signal) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      },
    );
    const jobId = await engine.submit();
    const worker = engine.worker();
    const ask = async (action: 'pause' | 'resume') => {
      const answer = await engine.driver.control(jobId, { action, actor: 'ada', reason: '' });
      await worker.recheck(jobId);
      return answer;
    };
    const first = engine.run(jobId, { worker });
    await waitForPhase(engine, jobId, ({ modelCall }) => modelCall.awaited !== undefined);
    await sleep(20);
    await ask('pause');
    await first;
    expect((await engine.loadJob(jobId)).status).toBe('paused');
    await ask('resume');
    const second = engine.run(jobId, { worker });
    await waitForPhase(
      engine,
      jobId,
      ({ modelCall: { awaited: awaitedModel }, paused }) => awaitedModel !== undefined && !paused,
    );
    await sleep(20);
    isDown = false;
    expect(await ask('resume')).toEqual({ kind: 'recorded' });
    await second;
    expect((await engine.loadJob(jobId)).status).toBe('completed');
  });

  it('is not assumed if the server answers other jobs and only fails this call', async () => {
    let pauses = 0;
    const { engine } = await startEngine(
      { fault: () => respondWith(500) },
      {
        sleep: async () => {
          pauses += 1;
          // Meanwhile another job of this process gets an answer.
          (worker as unknown as { waits: { wakeWaiting(name: string): void } }).waits.wakeWaiting('default');
        },
      },
    );
    const worker = engine.worker();
    const jobId = await engine.submit();
    await engine.run(jobId, { worker });
    expect((await engine.loadJob(jobId)).status).toBe('failed');
    expect(pauses).toBe(3);
    expect((await engine.phaseEvents(jobId, 1)).at(-1)).toMatchObject({
      type: 'PhaseFailed',
      data: { retryable: true },
    });
  });

  it('found by a starting worker, before it knows the size of the context, delays the phase without an event', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'phaseline-models-'));
    cleanUp.push(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'default.yaml'), 'name: default\nmodel: wire\nmaxOutputTokens: 1000\n');
    const { wire } = await startEngine({});
    const config = workerConfig(0).parse({
      DATABASE_URL: opened.url,
      OPENAI_BASE_URL: wire.baseUrl,
      PHASELINE_MODELS_DIR: folder,
      PHASELINE_SHIPPED_DEFINITIONS: '0',
      PHASELINE_DEFAULT_MODEL_PROFILE: 'default',
    });
    const models = await openModels(config, (error) => expect.unreachable(error.message));
    const policy = createThreePhasePolicy();
    const engine = new Engine({ store: opened.store, policy, models });
    await wire.stop();
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    const message = engine.messages.shift()!;
    // The queue delivers the message again after a while, to this worker and to one that starts then.
    for (const worker of [engine.worker(), engine.worker('another')])
      expect(await engine.deliver(message, worker, engine.toolRunner())).toBe('model-unreachable');
    expect(await engine.eventTypes(jobId, 1)).toEqual(['PhaseStarted']);
    await wire.restart();
    expect(await engine.deliver(message, engine.worker(), engine.toolRunner())).toBe('released');
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
  });

  it('is not prolonged when another worker takes over, and costs one attempt per worker', async () => {
    let isDown = true;
    const untilWoken: EngineOptions['sleep'] = (_delayMs, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const { engine, wire } = await startEngine(
      { fault: () => (isDown ? respondWith(500) : undefined), profile: { retries: { attempts: 3, baseDelayMs: 1 } } },
      { sleep: untilWoken },
    );
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    const message = engine.messages.shift()!;
    const stop = new AbortController();
    const first = engine.worker('first').run(message.payload, stop.signal);
    const waiting = await waitForPhase(
      engine,
      jobId,
      ({ modelCall: { awaited: awaitedModel } }) => awaitedModel !== undefined,
    );
    const before = wire.requests.length;
    stop.abort();
    await first;

    const worker = engine.worker('second');
    const second = worker.run(message.payload, new AbortController().signal);
    const taken = await waitForPhase(engine, jobId, ({ modelCall: { epoch } }) => epoch === 1);
    expect(taken.modelCall.awaited).toEqual(waiting.modelCall.awaited);
    await engine.waitUntilQuiet(jobId);
    await sleep(300);
    expect(wire.requests.length - before).toBe(1);
    isDown = false;
    await engine.driver.control(jobId, { action: 'resume', actor: 'ada', reason: '' });
    await worker.recheck(jobId);
    await second;
    expect(countOf(await engine.phaseEvents(jobId, 1), 'ModelAwaited')).toBe(1);
    expect((await engine.loadPhase(jobId, 1)).end?.kind).toBe('completed');
  });
});
