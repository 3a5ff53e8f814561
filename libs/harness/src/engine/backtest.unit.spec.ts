import type { JsonObject } from '@phaseline/basics';
import type { Guard } from '@phaseline/domain';
import { backtestJob, toBacktestRecord } from '@phaseline/what-if';
import { expect, it } from 'vitest';
import { MemoryLog } from '@phaseline/memory-log';
import { commandGuard, createScriptedGuards } from './command-guard.fixture.js';
import { requestControl } from './control.fixture.js';
import { Engine, type EngineOptions, type Reply } from './engine.js';
import { call, calls, createThreePhasePolicy } from './scripts.js';

const MINUTE_MS = 60_000;
/** 100 tokens of input and 10 of output, at one micro-USD each. */
const STEP_MICRO_USD = 110;

function buildRule(name: string, when: JsonObject, points: Guard['points'] = ['PreToolUse']): Guard {
  return {
    ...({ name, version: '0'.repeat(64), scope: 'agent', kind: 'rule', stage: 'production', owner: 'spec' } as const),
    ...({ points, onFailure: 'deny', body: { when, then: { deny: 'not {args.path}' } } } as const),
  };
}

/** Runs a job in which each answer of the model takes a minute, and tries a guard on it. */
async function runAndTest(work: readonly Reply[], guard: Guard, agent: EngineOptions['agent'] = {}) {
  let now = Date.UTC(2026, 0, 1);
  const store = new MemoryLog(() => now);
  const answer = createThreePhasePolicy(work);
  const policy: EngineOptions['policy'] = (request, signal) => {
    now += MINUTE_MS;
    return answer(request, signal);
  };
  const engine = new Engine({ store, policy, agent });
  const jobId = await engine.submitAndRun();
  const tested = await backtestJob(store, jobId, guard, { tools: engine.tools });
  return { store, jobId, record: toBacktestRecord(tested) };
}

const write = (path: string): Reply => call('write_file', { path, content: 'a' });
const HITS = { tool: ['write_file', 'read_file'], args: { path: { startsWith: 'work/' } } };

it('says what became of each call, and what its phase used afterwards', async () => {
  const forbidden = buildRule('forbidden', { tool: 'write_file', args: { path: 'work/no.txt' } });
  const { store, jobId, record } = await runAndTest(
    [write('work/a.txt'), call('read_file', { path: 'work/missing.txt' }), write('work/no.txt')],
    buildRule('tested', HITS),
    { guards: [forbidden] },
  );
  const streamId = `phase-${jobId}-2`;
  // The phase has four steps: the last one completes the todo, and the phase ends with it.
  const recorded = await store.read(streamId);
  const steps = recorded.filter(({ type }) => type === 'ModelResponded');
  expect(steps).toHaveLength(4);
  const durations = recorded
    .filter(({ type }) => ['ModelResponded', 'ToolCallCompleted', 'ToolCallFailed'].includes(type))
    .map(({ data }) => data['durationMs'] as number);
  const meanStep = {
    costMicroUsd: STEP_MICRO_USD,
    durationMs: Math.round(durations.reduce((sum, one) => sum + one, 0) / 4),
  };
  const common = { streamId, point: 'PreToolUse', decision: 'deny', phaseEnd: 'completed', meanStep };
  expect(record).toMatchObject({ jobId, status: 'completed', calls: 4, labelled: 4, untested: [], unknown: {} });
  expect(record.hits).toEqual(
    [
      { path: 'work/a.txt', outcome: 'completed', assessment: 'possibly-wrong', stepsAfter: 3 },
      { path: 'work/missing.txt', outcome: 'failed', assessment: 'might-have-saved', stepsAfter: 2 },
      { path: 'work/no.txt', outcome: 'denied-by-guard', assessment: 'stopped-anyway', stepsAfter: 1 },
    ].map(({ path, stepsAfter, ...hit }, index) => ({
      ...common,
      ...hit,
      version: steps[index]!.version,
      callId: expect.any(String) as string,
      tool: path.includes('missing') ? 'read_file' : 'write_file',
      arguments: JSON.stringify(path.includes('missing') ? { path } : { path, content: 'a' }),
      reason: `not ${path}`,
      after: { costMicroUsd: stepsAfter * STEP_MICRO_USD, durationMs: stepsAfter * MINUTE_MS },
    })),
  );
});

it('counts a call that succeeded in a job that failed as one after which work might have been saved', async () => {
  const { record } = await runAndTest([write('work/a.txt'), write('b.txt')], buildRule('tested', HITS), {
    limits: { steps: 2 },
  });
  expect(record.status).toBe('failed');
  const hit = {
    ...{ outcome: 'completed', phaseEnd: 'failed', assessment: 'might-have-saved' },
    after: { costMicroUsd: STEP_MICRO_USD, durationMs: MINUTE_MS },
  };
  // The phase is tried again once, and makes the same calls.
  expect(record.hits).toMatchObject([
    { streamId: `phase-${record.jobId}-2`, ...hit },
    { streamId: `phase-${record.jobId}-3`, ...hit },
  ]);
});

it('finds what became of claims, and names the points at which rules are never asked', async () => {
  const { record } = await runAndTest([], buildRule('tested', {}, ['TaskCompleted', 'Stop', 'SessionEnd']));
  expect(record.untested).toEqual(['SessionEnd']);
  expect(record.hits.map(({ point, tool, outcome, after }) => [point, tool, outcome, after.costMicroUsd])).toEqual([
    ['TaskCompleted', 'todo_complete', 'completed', 0],
    ['Stop', undefined, 'completed', 0],
    ['TaskCompleted', 'todo_complete', 'completed', 0],
    ['Stop', undefined, 'completed', 0],
    ['TaskCompleted', 'job_complete', 'completed', 0],
    ['Stop', undefined, 'completed', 0],
  ]);
});

it('knows the outcome of a call in a job that runs or was cancelled only if a person decided about it', async () => {
  const store = new MemoryLog(() => Date.UTC(2026, 0, 1));
  const agent = { approvals: { tools: ['write_file'], expireAfterMs: 60_000 } };
  const engine = new Engine({
    store,
    policy: createThreePhasePolicy([write('work/a.txt'), write('work/b.txt')]),
    agent,
  });
  const jobId = await engine.submitAndRun();
  const count = async (tools: string[]) => {
    const guard = buildRule('tested', { tool: tools });
    const { calls, labelled } = await backtestJob(store, jobId, guard, { tools: engine.tools });
    return [calls, labelled];
  };
  expect(await count(['write_file'])).toEqual([1, 0]);
  const [requested] = (await engine.phaseEvents(jobId, 2)).filter(({ type }) => type === 'ApprovalRequested');
  const callId = requested!.data['callId'] as string;
  await requestControl(engine, jobId, { action: 'approve', callId });
  await engine.run(jobId);
  // The second call waits.
  expect(await count(['write_file'])).toEqual([2, 1]);
  await requestControl(engine, jobId, { action: 'cancel' });
  await engine.run(jobId);
  expect(await count(['write_file'])).toEqual([2, 1]);
  // Calls about which the guard cannot decide anything are not compared.
  expect(await count(['read_file'])).toEqual([0, 0]);
});

it('compares claims too', async () => {
  const { record } = await runAndTest([], buildRule('tested', {}, ['TaskCompleted', 'Stop']));
  expect(record).toMatchObject({ calls: 6, labelled: 6, status: 'completed' });
});

it('asks about no call of the system', async () => {
  const store = new MemoryLog(() => Date.UTC(2026, 0, 1));
  const engine: Engine = new Engine({
    store,
    policy: createThreePhasePolicy([write('work/a.txt')]),
    agent: { guards: [commandGuard('hook', ['PreToolUse'])] },
    packs: [
      createScriptedGuards(
        () => undefined,
        () => engine.repository,
      ).pack,
    ],
  });
  const jobId = await engine.submitAndRun();
  const { calls, hits } = await backtestJob(store, jobId, buildRule('tested', {}), { tools: engine.tools });
  const names = hits.map(({ call }) => call?.name);
  expect(names).toContain('write_file');
  expect(names).not.toContain('run_guard');
  expect(calls).toBe(hits.length);
});

it('asks where a phase begins and about the task, once each', async () => {
  const guard = buildRule('tested', {}, ['SessionStart', 'UserPromptSubmit']);
  const { jobId, record } = await runAndTest([], { ...guard, body: { when: {}, then: { context: 'mind the gap' } } });
  expect(record).toMatchObject({ untested: [], unknown: {} });
  expect(record.hits.map(({ point, streamId, assessment }) => [point, streamId, assessment])).toEqual([
    ['SessionStart', `phase-${jobId}-1`, 'stops-nothing'],
    ['UserPromptSubmit', `phase-${jobId}-1`, 'stops-nothing'],
    ['SessionStart', `phase-${jobId}-2`, 'stops-nothing'],
    ['SessionStart', `phase-${jobId}-3`, 'stops-nothing'],
  ]);
});

it('asks about every call of an answer, and about an approval that another guard demands', async () => {
  const asks = { ...buildRule('asks', {}), body: { when: { tool: 'write_file' }, then: { ask: 'may it?' } } };
  const grants: Guard = {
    ...buildRule('grants', {}, ['PermissionRequest']),
    ...{ kind: 'script', body: { code: "() => ({ decision: 'allow' })" } },
  };
  const { record } = await runAndTest(
    [calls(['read_file', { path: 'instructions.md' }], ['write_file', { path: 'work/a.txt', content: 'a' }])],
    buildRule('tested', { tool: 'write_file' }, ['PermissionRequest']),
    { guards: [asks, grants] },
  );
  expect(record.hits).toMatchObject([{ point: 'PermissionRequest', tool: 'write_file', reason: 'not work/a.txt' }]);
});

it('reports a job that cannot be read, with what was found until then', async () => {
  const { store, jobId } = await runAndTest([write('work/a.txt')], buildRule('tested', HITS));
  const broken = {
    ...{ blobs: store.blobs, read: store.read.bind(store), readAt: store.readAt.bind(store) },
    iterate: store.iterate.bind(store),
    async *iterateCorrelation(...args: Parameters<MemoryLog['iterateCorrelation']>) {
      for await (const event of store.iterateCorrelation(...args))
        yield event.type === 'PhaseEnded' && event.data['phase'] === 2 ? { ...event, data: {} } : event;
    },
  };
  const { tools } = new Engine({ store, policy: () => ({}) });
  const record = toBacktestRecord(await backtestJob(broken, jobId, buildRule('tested', HITS), { tools }));
  expect(record.unreadable).toContain('PhaseEnded');
  expect(record.hits).toMatchObject([{ outcome: 'completed', assessment: 'open' }]);
});
