import { createPool, EventStore, MasterKeys } from '@phaseline/event-store';
import { decodePhaseEvent, foldPhase, phaseStream, redactEvent } from '@phaseline/domain';
import { JobRepository, type EncodedEvent } from '@phaseline/repository';
import { modelProfileSchema, type ChatModel } from '@phaseline/model';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestControl, withFetchTool } from './control.fixture.js';
import { Engine, toChatAnswer, type EngineOptions } from './engine.js';
import { offerTool } from './offer-tool.js';
import { recordCalls } from './record-calls.fixture.js';
import { call, createThreePhasePolicy, DO_THE_TODO } from './scripts.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();

const FETCH_TWICE = createThreePhasePolicy([call('fetch'), call('fetch'), DO_THE_TODO]);
const FIRST_CALL = 'call_2_1_1';

function createEngine(options: Partial<EngineOptions> = {}) {
  const runs: string[] = [];
  const subject = new Engine({
    ...{ store: opened.store, policy: FETCH_TWICE, handsOver: true, ...withFetchTool(runs) },
    ...options,
  });
  return { subject, runs };
}

/** Runs a job until the end of its first call was offered to the worker. */
async function offerFirstEnd(options: Partial<EngineOptions> = {}) {
  const { subject, runs } = createEngine(options);
  const jobId = await subject.submit();
  const [worker, runner] = [subject.worker(), subject.toolRunner()];
  await subject.runUntilToolCall(jobId, worker, runner);
  await subject.deliver(subject.messages.shift()!, worker, runner);
  const [offered] = subject.messages;
  expect(offered).toMatchObject({ queue: 'tactical', otherwise: expect.any(Function) });
  return { subject, runs, jobId, worker, runner, offered: offered! };
}

/** The end of a call in the log, with who recorded it. */
async function readEnds(jobId: string, callId = FIRST_CALL) {
  const events = await opened.store.read(phaseStream(jobId, 2));
  return events.filter(
    ({ type, data }) => (type === 'ToolCallCompleted' || type === 'ToolCallFailed') && data['callId'] === callId,
  );
}

/** Lets the reconciler send what is due, and keeps the messages of this job: the log contains those of other specs. */
async function reconcileJob(subject: Engine, jobId: string): Promise<void> {
  await subject.reconcile();
  const own = subject.messages.filter(({ payload }) => payload.jobId === jobId);
  subject.messages.splice(0, Infinity, ...own);
}

describe('a remote call whose end is handed over', () => {
  it('takes two appends and no read, and the end has the tool-runner as its actor', async () => {
    const used: string[] = [];
    const counted = recordCalls(opened.store, (method) => used.push(method));
    const { subject, jobId, worker, runner, offered } = await offerFirstEnd({ store: counted });
    subject.messages.shift();
    await subject.deliver(offered, worker, runner);
    const second = subject.messages.shift()!;
    expect(second).toMatchObject({ queue: 'tools' });
    used.length = 0;
    // From the second request of a call to the third model call, both processes hold the state.
    await subject.deliver(second, worker, runner);
    expect(used).toEqual([]);
    await subject.deliver(subject.messages.shift()!, worker, runner);
    expect(used.filter((method) => method !== 'blobs')).toEqual(['append', 'append']);

    const [end] = await readEnds(jobId);
    expect(end).toMatchObject({
      metadata: { actor: { id: 'runner', kind: 'process' }, causationId: FIRST_CALL },
    });
    const events = await opened.store.read(phaseStream(jobId, 2));
    const next = events[end!.version]!;
    expect(next).toMatchObject({ type: 'ModelCallStarted', metadata: { actor: { id: 'worker' } } });
    expect(next.recordedAt).toBe(end!.recordedAt);
  });

  it('completes a job with the same events as calls whose ends are appended', async () => {
    const types = [];
    for (const handsOver of [true, false]) {
      const { subject, runs } = createEngine({ handsOver });
      const jobId = await subject.submitAndRun();
      expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
      expect(runs).toHaveLength(2);
      types.push(await subject.eventTypes(jobId, 2));
    }
    expect(types[0]).toEqual(types[1]);
  });

  it('is appended by the tool-runner when the worker does not take it', async () => {
    const { subject, runs, jobId, worker, runner, offered } = await offerFirstEnd();
    subject.messages.shift();
    await offered.otherwise!();
    expect(await readEnds(jobId)).toHaveLength(1);
    // The worker is woken, although it took nothing.
    expect(subject.messages).toMatchObject([{ queue: 'tactical' }]);
    await subject.run(jobId, { worker, runner });
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
    expect(runs).toHaveLength(2);
  });

  it('is recorded once when it is taken and appended, in either order', async () => {
    for (const isTakenFirst of [true, false]) {
      const { subject, runs, jobId, worker, runner, offered } = await offerFirstEnd();
      subject.messages.shift();
      const take = () => subject.deliver(offered, worker, runner);
      if (isTakenFirst) await take();
      await offered.otherwise!();
      if (!isTakenFirst) await take();
      await subject.run(jobId, { worker, runner });
      expect(await readEnds(jobId)).toHaveLength(1);
      expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
      expect(runs).toHaveLength(2);
    }
  });

  it('is lost with the process that holds it, and the call runs again', async () => {
    const { subject, runs, jobId, worker, runner } = await offerFirstEnd();
    subject.messages.length = 0;
    await reconcileJob(subject, jobId);
    expect(subject.messages).toMatchObject([{ queue: 'tools' }]);
    await subject.run(jobId, { worker, runner });
    expect(await readEnds(jobId)).toHaveLength(1);
    expect(runs.filter((callId) => callId === FIRST_CALL)).toHaveLength(2);
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
  });

  it('is recorded on a newer state when a person steered meanwhile', async () => {
    const { subject, runs, jobId, worker, runner } = await offerFirstEnd();
    await requestControl(subject, jobId, { action: 'steer', message: 'Be quick.' });
    await subject.run(jobId, { worker, runner });
    const types = await subject.eventTypes(jobId, 2);
    expect(types.indexOf('ToolCallCompleted')).toBeGreaterThan(types.indexOf('PhaseSteered'));
    expect(runs).toHaveLength(2);
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
  });

  it('is recorded when a person paused the job meanwhile, and the call does not run again', async () => {
    const { subject, runs, jobId, worker, runner } = await offerFirstEnd();
    await requestControl(subject, jobId, { action: 'pause' });
    await subject.run(jobId, { worker, runner });
    expect(await subject.eventTypes(jobId, 2)).toContain('ToolCallCompleted');
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'paused' });
    await requestControl(subject, jobId, { action: 'resume' });
    await subject.run(jobId, { worker, runner });
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
    expect(runs).toHaveLength(2);
  });

  it('is discarded when a person cancelled the job meanwhile', async () => {
    const { subject, jobId, worker, runner } = await offerFirstEnd();
    await requestControl(subject, jobId, { action: 'cancel' });
    await subject.run(jobId, { worker, runner });
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'cancelled' });
    expect((await subject.eventTypes(jobId, 2)).at(-1)).toBe('PhaseCancelled');
    expect(await readEnds(jobId)).toMatchObject([{ data: { code: 'cancelled' } }]);
  });

  it('is recorded when the model server cannot be reached', async () => {
    let isAway = false;
    const profile = modelProfileSchema.parse({
      ...{ name: 'default', model: 'scripted', contextTokens: 100_000, maxOutputTokens: 1_000 },
    });
    const model: ChatModel = {
      complete: async (request, { signal }) => toChatAnswer(await FETCH_TWICE(request, signal)),
    };
    const models = {
      find: () => {
        if (isAway) throw new Engine.ModelDown();
        return { profile, model, contextTokens: 100_000 };
      },
    };
    const { subject, runs, jobId, worker, runner } = await offerFirstEnd({ models });
    isAway = true;
    expect(await subject.deliver(subject.messages.shift()!, worker, runner)).toBe('model-unreachable');
    expect(await readEnds(jobId)).toHaveLength(1);
    isAway = false;
    await reconcileJob(subject, jobId);
    await subject.run(jobId, { worker, runner });
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
    expect(runs).toHaveLength(2);
  });

  it('is ignored when it is not what a tool-runner encloses', async () => {
    const { subject, runs, jobId, worker, runner, offered } = await offerFirstEnd();
    subject.messages.shift();
    for (const enclosed of [undefined, null, 'text', { version: 1 }, { ...(offered.enclosed as object), events: [{}] }])
      await subject.deliver({ ...offered, enclosed }, worker, runner);
    expect(await readEnds(jobId)).toEqual([]);
    await subject.deliver(offered, worker, runner);
    await subject.run(jobId, { worker, runner });
    expect(await readEnds(jobId)).toHaveLength(1);
    expect(runs.filter((callId) => callId === FIRST_CALL).length).toBeGreaterThan(0);
  });
});

describe('the end of a remote call', () => {
  it.each([
    ['must not run twice', { effect: 'once' as const }, { content: 'paid' }],
    [
      'changed files',
      { effect: 'pure' as const },
      { content: 'paid', files: [{ path: 'paid.txt', content: new TextEncoder().encode('paid') }] },
    ],
  ])('is appended by the tool-runner if the call %s', async (_, { effect }, outcome) => {
    const tool = offerTool({ name: 'fetch', effect, timeoutMs: 5_000, input: z.object({}), run: async () => outcome });
    const { subject } = createEngine(tool);
    const jobId = await subject.submit();
    const [worker, runner] = [subject.worker(), subject.toolRunner()];
    await subject.runUntilToolCall(jobId, worker, runner);
    await subject.deliver(subject.messages.shift()!, worker, runner);
    expect(await readEnds(jobId)).toHaveLength(1);
    expect(subject.messages.every(({ otherwise }) => otherwise === undefined)).toBe(true);
  });

  it('is appended by the tool-runner if something else has to happen first', async () => {
    const seen: string[] = [];
    const callEnds = {
      concerns: () => true,
      record: async (_state: unknown, callId: string) => void seen.push(callId),
    };
    const { subject } = createEngine({ callEnds });
    const jobId = await subject.submitAndRun();
    expect(await readEnds(jobId)).toHaveLength(1);
    expect(seen).toContain(FIRST_CALL);
  });

  it('is not handed over in an encrypted job, and nothing is enclosed', async () => {
    const pool = createPool(opened.url, { max: 4 });
    try {
      const encryption = { masterKeys: MasterKeys.parse(MasterKeys.generate()), redact: redactEvent, keyCacheMs: 0 };
      const sent: { readonly enclosed?: unknown; readonly otherwise?: unknown }[] = [];
      const { subject } = createEngine({
        store: new EventStore(pool, { encryption }),
        onSend: (message) => {
          sent.push(message);
          return true;
        },
      });
      const jobId = await subject.submitAndRun({ encrypt: true });
      expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
      expect(sent.every(({ enclosed, otherwise }) => enclosed === undefined && otherwise === undefined)).toBe(true);
    } finally {
      await pool.end();
    }
  });
});

describe('JobRepository.advancePhase', () => {
  it('adds events to a state that it holds, and returns nothing if they do not meet or cannot be read', async () => {
    const { subject } = createEngine({ handsOver: false });
    const jobId = await subject.submit();
    const [worker, runner] = [subject.worker(), subject.toolRunner()];
    await subject.runUntilToolCall(jobId, worker, runner);
    const repository = new JobRepository(opened.store);
    const advance = (to: number, events: readonly EncodedEvent[]) => repository.advancePhase(jobId, 2, to, events);
    const held = (await repository.loadPhase(jobId, 2))!;
    await subject.run(jobId, { worker, runner });
    const events = await opened.store.read(phaseStream(jobId, 2));
    const newer = events.slice(held.version, held.version + 3);
    const { version } = newer.at(-1)!;

    expect(advance(version, newer.slice(1))).toBeUndefined();
    expect(advance(version, [])).toBeUndefined();
    expect(advance(version, newer.with(1, { ...newer[1]!, type: 'OfNewerRelease' }))).toBeUndefined();
    expect(advance(held.version, [])).toBe(held);
    // Events before the state that it holds are passed over.
    const reached = advance(version, events.slice(held.version - 1, version));
    expect(reached).toEqual(await foldUpTo(jobId, version));
    expect(advance(version - 1, [])).toBe(reached);
    expect((await repository.loadPhase(jobId, 2))!.version).toBe(events.length);
    expect(new JobRepository(opened.store).advancePhase(jobId, 2, version, events)).toBeUndefined();
  });
});

async function foldUpTo(jobId: string, version: number) {
  const events = await opened.store.read(phaseStream(jobId, 2), { to: version });
  return foldPhase(events.map(decodePhaseEvent));
}
