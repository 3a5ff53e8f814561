import type { PhaseEvent } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import {
  buildToolCallCompleted,
  decideFirstPhase,
  buildJobSubmitted,
  buildToolCallRequested,
  buildModelResponded,
  SpecLog,
  buildTodoCompleted,
} from '../jobs/job-log.fixture.js';
import { toViewChange } from '../log/view-events.js';
import type { ReadModelName, Row } from '../models/read-model.js';
import { Fold } from './fold.js';

const jobId = '0190a0b0-0000-7000-8000-000000000001';
const submitted = buildJobSubmitted(jobId, { todos: 3 });
const first = decideFirstPhase(submitted);

function started(): SpecLog {
  return new SpecLog(jobId).job(submitted, first.dispatched).phase(1, first.started);
}

function fold(log: SpecLog): Fold {
  const folded = new Fold(new Map());
  for (const event of log.events) {
    const change = toViewChange(event);
    if (change) folded.apply(change);
  }
  return folded;
}

function rows(log: SpecLog, name: ReadModelName): readonly Row[] {
  return fold(log).rows(name);
}

const callRowAfter = (events: readonly PhaseEvent[]): Row => rows(started().phase(1, ...events), 'tool_calls')[0]!;
const approval: PhaseEvent = {
  type: 'ApprovalRequested',
  data: {
    callId: 'a',
    step: 1,
    name: 'send',
    arguments: {},
    lane: 'remote',
    effect: 'once',
    traits: [],
    timeoutMs: 1_000,
    expiresAt: '2030-01-02T00:00:00Z',
  },
};

describe('the rows of phases', () => {
  it('describe a phase, whichever stream recorded its start first', () => {
    const phases = (log: SpecLog): Row => rows(log, 'phases')[0]!;
    const log = started().phase(1, buildModelResponded(1), buildTodoCompleted(1), {
      type: 'PhaseTakenOver',
      data: { epoch: 1, leaseOwner: 'b', previousLeaseOwner: 'a' },
    });
    expect(phases(log)).toMatchObject({
      phase: 1,
      kind: 'strategic',
      model: 'default',
      status: 'running',
      steps: 1,
      cost_micro_usd: 11,
      todos_done: 1,
      todos_total: 3,
      takeovers: 1,
      ended_at: null,
    });
    log.phase(1, { type: 'PhaseFailed', data: { code: 'step_limit', message: 'm', retryable: true } });
    expect(phases(log)).toMatchObject({ status: 'failed', outcome: 'step_limit', ended_at: expect.any(String) });
    const reversed = new SpecLog(jobId).job(submitted).phase(1, first.started).job(first.dispatched);
    expect({ ...phases(reversed), started_at: '' }).toEqual({ ...phases(started()), started_at: '' });
  });

  it('end with the result in the job stream when the phase stream has none', () => {
    const spending = { steps: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
    const log = started().job({ type: 'PhaseEnded', data: { phase: 1, result: { kind: 'cancelled' }, spending } });
    expect(rows(log, 'phases')[0]).toMatchObject({ status: 'cancelled', ended_at: expect.any(String) });
  });
});

describe('the rows of tool calls', () => {
  it.each<[string, readonly PhaseEvent[], Row]>([
    ['open', [buildToolCallRequested('a')], { status: 'open', lane: 'remote', ended_at: null }],
    [
      'started',
      [buildToolCallRequested('a'), { type: 'ToolCallStarted', data: { callId: 'a', leaseOwner: 'h' } }],
      { status: 'open', started_at: expect.any(String) },
    ],
    [
      'completed',
      [buildToolCallRequested('a'), buildToolCallCompleted('a')],
      { status: 'completed', result: null, attempts: 1, duration_ms: 1 },
    ],
    ...([{ exitCode: 1 }, {}] as const).map((result): [string, readonly PhaseEvent[], Row] => [
      `failed with the result ${JSON.stringify(result)}`,
      [
        buildToolCallRequested('a'),
        { type: 'ToolCallFailed', data: { callId: 'a', code: 'x', message: 'm', result, attempts: 1, durationMs: 1 } },
      ],
      // `{}` is how a result of an encrypted job is redacted.
      { status: 'failed', code: 'x', result: 'exitCode' in result ? result : null },
    ]),
    [
      'denied',
      [{ type: 'ToolCallDenied', data: { callId: 'a', step: 1, name: 'x', code: 'unknown_tool', message: 'm' } }],
      { status: 'denied', code: 'unknown_tool', lane: null, ended_at: expect.any(String) },
    ],
    ['waiting for a person', [approval], { status: 'waiting-for-approval', name: 'send' }],
    ['allowed', [approval, { type: 'ApprovalGranted', data: { callId: 'a', actor: 'p' } }], { status: 'open' }],
    [
      'refused',
      [approval, { type: 'ApprovalRefused', data: { callId: 'a', actor: 'p', reason: 'no' } }],
      { status: 'refused', ended_at: expect.any(String) },
    ],
    [
      'cut off at the end of its phase',
      [buildToolCallRequested('a'), { type: 'PhaseCancelled', data: { reason: 'enough' } }],
      { status: 'interrupted', ended_at: expect.any(String) },
    ],
  ])('are %s', (_, events, row) => {
    expect(callRowAfter(events)).toMatchObject(row);
  });
});

describe('the rows of decisions', () => {
  it('count what guards and judges decided, by what it led to', () => {
    const guard = { name: 'g', version: 'a'.repeat(64), scope: 'tenant', kind: 'rule', stage: 'production' } as const;
    const decided = (decision: 'allow' | 'amend' | 'deny', changes: object = {}): PhaseEvent => ({
      type: 'GuardDecided',
      data: { point: 'PreToolUse', guard, decision, ...changes },
    });
    const override = { actor: 'ada', reason: 'r', expiresAt: '2030-01-01T00:00:00Z' };
    const log = started().phase(
      1,
      ...[decided('deny'), decided('deny'), decided('amend'), decided('deny', { override })],
      decided('deny', { guard: { ...guard, stage: 'shadow' } }),
      ...[decided('allow', { context: 'c' }), decided('allow', { failure: { code: 'x', message: 'm' } })],
    );
    expect(
      rows(log, 'decisions').map(({ kind, name, scope, outcome, count }) => [kind, name, scope, outcome, count]),
    ).toEqual([
      ['guard', 'g', 'tenant', 'denied', 2],
      ['guard', 'g', 'tenant', 'amended', 1],
      ['guard', 'g', 'tenant', 'overridden', 1],
      ['guard', 'g', 'tenant', 'shadow', 1],
      ['guard', 'g', 'tenant', 'context', 1],
      ['guard', 'g', 'tenant', 'failed', 1],
    ]);
  });
});

describe('the rows of costs', () => {
  it('are sums per day, agent and model, in which a summary counts no step', () => {
    const usage = { inputTokens: 50, cachedInputTokens: 0, outputTokens: 5, estimated: false };
    const log = started().phase(1, buildModelResponded(1), buildModelResponded(2), {
      type: 'ConversationSummarised',
      data: { step: 3, model: 'default', summary: 's', entries: 1, usage, costMicroUsd: 4, durationMs: 1 },
    });
    expect(rows(log, 'costs')).toEqual([
      {
        job_id: jobId,
        day: '2030-01-01',
        agent: 'tester',
        model: 'default',
        tenant: 'default',
        steps: 2,
        input_tokens: 250,
        cached_input_tokens: 80,
        output_tokens: 19,
        cost_micro_usd: 26,
      },
    ]);
  });
});

describe('the rows of queue depth', () => {
  /** Returns the work due on each queue at the end of the log. */
  const due = (log: SpecLog): Record<string, number> =>
    Object.fromEntries(
      rows(log, 'queue_depth').map((row) => [row['queue'], (row['due'] as number) - (row['done'] as number)]),
    );

  it('count work due to a worker, then to a tool-runner, then to a worker again', () => {
    const log = started();
    expect(due(log)).toEqual({ strategic: 1 });
    expect(due(log.phase(1, buildToolCallRequested('a'), buildToolCallRequested('b')))).toEqual({
      strategic: 0,
      tools: 2,
    });
    expect(due(log.phase(1, buildToolCallCompleted('a')))).toEqual({ strategic: 0, tools: 1 });
    expect(due(log.phase(1, buildToolCallCompleted('b')))).toEqual({ strategic: 1, tools: 0 });
    expect(due(log.phase(1, { type: 'PhaseCompleted', data: { outcome: 'planned' } }))).toEqual({
      strategic: 0,
      tools: 0,
    });
  });

  it('count nothing due while the job is paused or waits for a person', () => {
    const log = started().job({
      type: 'JobPaused',
      data: { actor: 'a', reason: 'r', pausedAt: '2030-01-01T00:00:00Z' },
    });
    expect(due(log)).toEqual({ strategic: 0 });
    expect(due(log.job({ type: 'JobResumed', data: { actor: 'a', reason: 'r' } }))).toEqual({ strategic: 1 });
    expect(due(log.phase(1, approval))).toEqual({ strategic: 0 });
    expect(due(log.phase(1, { type: 'ApprovalGranted', data: { callId: 'a', actor: 'p' } }))).toEqual({
      strategic: 0,
      tools: 1,
    });
  });

  it('count everything as done once the job has ended, even open calls', () => {
    const log = started()
      .phase(1, buildToolCallRequested('a'))
      .job({ type: 'JobFailed', data: { code: 'c', message: 'm' } });
    expect(due(log)).toEqual({ strategic: 0, tools: 0 });
  });
});

describe('a fold', () => {
  it('applies each event only once', () => {
    const log = started().phase(
      1,
      buildModelResponded(1),
      buildToolCallRequested('a'),
      buildToolCallCompleted('a'),
      buildTodoCompleted(1),
    );
    const once = fold(log);
    const twice = fold(log);
    for (const event of log.events) twice.apply(toViewChange(event)!);
    for (const name of ['jobs', 'phases', 'tool_calls', 'costs', 'queue_depth', 'decisions'] as const)
      expect(twice.rows(name)).toEqual(once.rows(name));
  });

  it('reads only those members of an event that a rebuild selects in the database', async () => {
    const { viewFields, toPickedViewChange } = await import('../log/view-events.js');
    const log = started()
      .phase(
        1,
        buildModelResponded(1),
        buildToolCallRequested('a'),
        buildToolCallCompleted('a'),
        buildTodoCompleted(1),
        approval,
      )
      .job({ type: 'JobCompleted', data: { summary: 's', deliverables: [], confidence: 1, notes: '' } });
    const picked = new Fold(new Map());
    for (const event of log.events) {
      const fields = viewFields[event.type as keyof typeof viewFields] as readonly string[];
      const data = Object.fromEntries(
        fields.map((path) => [path.split('.')[0]!, event.data[path.split('.')[0]!]]),
      ) as typeof event.data;
      picked.apply(toPickedViewChange({ ...event, data })!);
    }
    expect(picked.rows('jobs')).toEqual(fold(log).rows('jobs'));
    expect(picked.rows('phases')).toEqual(fold(log).rows('phases'));
    expect(picked.rows('tool_calls')).toEqual(fold(log).rows('tool_calls'));
  });
});
