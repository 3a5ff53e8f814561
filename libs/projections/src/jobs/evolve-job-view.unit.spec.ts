import type { JobEvent } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { toViewChange } from '../log/view-events.js';
import { evolveJobView, foldJobView } from './evolve-job-view.js';
import {
  buildToolCallCompleted,
  decideFirstPhase,
  buildJobSubmitted,
  buildToolCallRequested,
  buildModelResponded,
  SpecLog,
  buildTodoCompleted,
} from './job-log.fixture.js';
import { findCurrentTool } from './job-view.js';

const jobId = '0190a0b0-0000-7000-8000-000000000001';
const submitted = buildJobSubmitted(jobId, { labels: { team: 'norms' }, todos: 3 });
const first = decideFirstPhase(submitted);

function started(): SpecLog {
  return new SpecLog(jobId).job(submitted, first.dispatched).phase(1, first.started);
}

const phaseEnded = (phase: number) =>
  ({
    type: 'PhaseEnded',
    data: {
      phase,
      result: { kind: 'cancelled' },
      spending: { steps: 9, inputTokens: 9, cachedInputTokens: 9, outputTokens: 9, costMicroUsd: 9 },
    },
  }) as const;

const block = (todoId: number) =>
  ({ type: 'TodoBlocked', data: { todoId, reason: 'No access.', callId: 'b' } }) as const;

describe('the view of a job', () => {
  it('starts with tenant, agent and labels, and no spending', () => {
    const { events } = new SpecLog(jobId).job(submitted);
    expect(foldJobView(events)).toEqual({
      jobId,
      submittedPosition: 5,
      position: 5,
      tenant: 'default',
      agent: 'tester',
      status: 'submitted',
      labels: { team: 'norms' },
      createdAt: '2030-01-01T00:00:00.000005Z',
      updatedAt: '2030-01-01T00:00:00.000005Z',
      wait: { kind: 'orchestrator', since: '2030-01-01T00:00:00.000005Z' },
      inputTokens: 0,
      cachedInputTokens: 0,
      outputTokens: 0,
      costMicroUsd: 0,
      steps: 0,
    });
  });

  it('counts todos that a retried phase takes over as done', () => {
    const data = {
      ...first.dispatched.data,
      todos: first.dispatched.data.todos.map((todo, index) => ({
        ...todo,
        status: index === 0 ? ('done' as const) : ('open' as const),
      })),
    };
    const { events } = new SpecLog(jobId).job(submitted, { type: 'PhaseDispatched', data });
    expect(foldJobView(events)).toMatchObject({
      status: 'running',
      phase: { number: 1, kind: 'strategic', state: 'plan', name: 'Plan', todosDone: 1, todosTotal: 3 },
    });
  });

  it('adds up the usage of every answer, and does not add it again when the phase ends', () => {
    const { events } = started().phase(1, buildModelResponded(1), buildModelResponded(2)).job(phaseEnded(1));
    expect(foldJobView(events)).toMatchObject({
      steps: 2,
      inputTokens: 200,
      cachedInputTokens: 80,
      outputTokens: 14,
      costMicroUsd: 22,
    });
  });

  it('shows the running tool: the first of several that has not ended', () => {
    const log = started().phase(1, buildToolCallRequested('a'), buildToolCallRequested('b'));
    const tool = () => findCurrentTool(foldJobView(log.events)!.phase!);
    expect(tool()).toBe('tool-a');
    log.phase(1, buildToolCallCompleted('a'));
    expect(tool()).toBe('tool-b');
    log.phase(1, {
      type: 'ToolCallFailed',
      data: { callId: 'b', code: 'x', message: 'x', attempts: 3, durationMs: 1 },
    });
    expect(tool()).toBeUndefined();
  });

  it('forgets the running tool when the phase is cut off', () => {
    const { events } = started().phase(1, buildToolCallRequested('a')).job(phaseEnded(1));
    expect(foldJobView(events)?.phase?.openCalls).toEqual([]);
  });

  it('reopens the last todo when a gate refuses, but only if it was done', () => {
    const rejected = {
      type: 'TransitionRejected',
      data: { gate: 'todos-file', outcome: 'planned', message: 'no' },
    } as const;
    const log = started().phase(1, buildTodoCompleted(1), buildTodoCompleted(2));
    log.phase(1, rejected);
    expect(foldJobView(log.events)?.phase?.todosDone).toBe(2);
    log.phase(1, buildTodoCompleted(3), rejected);
    expect(foldJobView(log.events)?.phase?.todosDone).toBe(2);
  });

  it('lists blocked todos until they are unblocked or done, and forgets them when the phase ends', () => {
    const log = started().phase(1, block(1), block(2), block(3));
    log.phase(1, { type: 'TodoUnblocked', data: { todoId: 1, callId: 'u' } }, buildTodoCompleted(3));
    const position = log.events.at(-4)!.position;
    expect(foldJobView(log.events)?.phase).toMatchObject({
      todosDone: 1,
      blockedTodos: [{ todoId: 2, position, blockedAt: expect.stringMatching(/^2030/) as string }],
    });
    expect(foldJobView(log.phase(1, block(2)).events)?.phase?.blockedTodos).toMatchObject([
      { todoId: 2, position: log.events.at(-1)!.position },
    ]);
    expect(foldJobView(log.job(phaseEnded(1)).events)?.phase?.blockedTodos).toEqual([]);
  });

  it('keeps the todos blocked that a retried phase takes over', () => {
    const { data } = first.dispatched;
    const todos = data.todos.map((todo, index) => (index === 1 ? { ...todo, blocked: 'No access.' } : todo));
    const { events } = new SpecLog(jobId).job(submitted, { type: 'PhaseDispatched', data: { ...data, todos } });
    const { position } = events.at(-1)!;
    expect(foldJobView(events)?.phase?.blockedTodos).toMatchObject([{ todoId: todos[1]!.id, position }]);
  });

  it('ignores a late event of an old phase', () => {
    const second = { ...first.dispatched, data: { ...first.dispatched.data, phase: 2 } };
    const { events } = started()
      .job(phaseEnded(1), second)
      .phase(1, buildTodoCompleted(1), buildToolCallRequested('late'));
    expect(foldJobView(events)?.phase).toMatchObject({ number: 2, todosDone: 0, openCalls: [] });
  });

  it('distinguishes completed, failed and cancelled jobs', () => {
    const completion = { summary: 'done', deliverables: ['a'], confidence: 0.5, notes: '' };
    const view = (end: JobEvent) => foldJobView(started().job(end).events);
    const endedAt = expect.stringMatching(/^2030/);
    expect(view({ type: 'JobCompleted', data: completion })).toMatchObject({
      status: 'completed',
      result: completion,
      endedAt,
    });
    expect(view({ type: 'JobFailed', data: { code: 'phase_limit', message: 'm' } })).toMatchObject({
      status: 'failed',
      failure: { code: 'phase_limit', message: 'm' },
      endedAt,
    });
    expect(view({ type: 'JobCancelled', data: { actor: 'a', reason: 'enough' } })).toMatchObject({
      status: 'cancelled',
      failure: { code: 'cancelled', message: 'enough' },
      endedAt,
    });
  });

  it('is paused until it is resumed, then has its earlier status again', () => {
    const pause = { type: 'JobPaused', data: { actor: 'a', reason: 'r', pausedAt: '2030-01-01T00:00:00Z' } } as const;
    const resume = { type: 'JobResumed', data: { actor: 'a', reason: 'r' } } as const;
    const log = started().job(pause);
    expect(foldJobView(log.events)?.status).toBe('paused');
    expect(foldJobView(log.job(resume).events)?.status).toBe('running');
    const early = new SpecLog(jobId).job(submitted, pause, resume);
    expect(foldJobView(early.events)?.status).toBe('submitted');
    const cancel = { type: 'JobCancelRequested', data: { actor: 'a', reason: 'r' } } as const;
    expect(foldJobView(started().job(pause, cancel, resume).events)?.status).toBe('cancelling');
  });

  it('has no end after a failed job is retried', () => {
    const failed = started().job({ type: 'JobFailed', data: { code: 'x', message: 'y' } });
    expect(foldJobView(failed.events)?.failure).toBeDefined();
    const view = foldJobView(failed.job({ type: 'JobRetried', data: { actor: 'a', reason: 'again' } }).events);
    expect(view).toMatchObject({ status: 'running' });
    expect(Object.keys(view!)).not.toEqual(expect.arrayContaining(['endedAt']));
    expect(view?.failure).toBeUndefined();
  });

  it('shows another agent from the phase after the request on', () => {
    const { agent, agentHash, workflow, workflowHash } = buildJobSubmitted(jobId, { agent: 'other' }).data;
    const log = started().job({
      type: 'JobDefinitionChanged',
      data: { actor: 'a', agent, agentHash, workflow, workflowHash },
    });
    expect(foldJobView(log.events)).toMatchObject({ agent: 'tester', nextAgent: 'other' });
    const view = foldJobView(log.job({ ...first.dispatched, data: { ...first.dispatched.data, phase: 2 } }).events);
    expect(view?.agent).toBe('other');
    expect(view).not.toHaveProperty('nextAgent');
  });

  it('of a fork starts in the state of the parent', () => {
    const hash = '0'.repeat(64);
    const phase = {
      number: 3,
      kind: 'tactical',
      state: 'execute',
      name: 'Write',
      todosDone: 2,
      todosTotal: 5,
    } as const;
    const forked = {
      type: 'JobForked',
      data: {
        jobId,
        actor: 'a',
        requestHash: hash,
        parent: { jobId: '0190a0b0-0000-7000-8000-000000000002', version: 7, hash },
        position: 40,
        mode: 'live',
        labels: { of: 'another' },
        carried: {
          agent: 'tester',
          tenant: 'law',
          spending: { steps: 4, inputTokens: 10, cachedInputTokens: 3, outputTokens: 2, costMicroUsd: 9 },
          phase,
        },
      },
    } as const;
    const log = new SpecLog(jobId).job(forked);
    expect(foldJobView(log.events)).toMatchObject({ status: 'running', tenant: 'law', steps: 4, phase });
    expect(foldJobView(log.phase(3, buildModelResponded(1), buildTodoCompleted(3)).events)).toMatchObject({
      steps: 5,
      costMicroUsd: 20,
      phase: { number: 3, todosDone: 3 },
    });
  });

  it('is cancelling between the request and the end', () => {
    const { events } = started().job({ type: 'JobCancelRequested', data: { actor: 'a', reason: 'enough' } });
    const view = foldJobView(events);
    expect(view?.status).toBe('cancelling');
    expect(view?.endedAt).toBeUndefined();
  });

  it('gives the same view from any starting point, and ignores events it already includes', () => {
    const { events } = started()
      .phase(
        1,
        buildModelResponded(1, ['a']),
        buildToolCallRequested('a'),
        buildToolCallCompleted('a'),
        buildTodoCompleted(1),
      )
      .job(phaseEnded(1), { type: 'JobFailed', data: { code: 'x', message: 'y' } });
    const whole = foldJobView(events);
    for (let cut = 1; cut <= events.length; cut += 1) {
      const part = foldJobView(events.slice(0, cut));
      expect(foldJobView(events.slice(cut), part)).toEqual(whole);
      expect(foldJobView(events, part)).toEqual(whole);
    }
  });

  it('throws at an unreadable event instead of showing a state that never existed', () => {
    const { events } = started().phase(1, buildModelResponded(1));
    const broken = { ...events.at(-1)!, data: { step: 'one' } };
    expect(() => foldJobView([...events.slice(0, -1), broken])).toThrow(/event 2 of stream phase-.*cannot be read/);
  });

  it('does not start in the middle of a job', () => {
    const { events } = started();
    expect(() => evolveJobView(undefined, toViewChange(events[1]!)!)).toThrow(/before the JobSubmitted/);
  });

  it('ignores events and streams that do not belong to jobs', () => {
    const { events } = started();
    expect(toViewChange({ ...events[0]!, streamId: 'guard-1' })).toBeUndefined();
    expect(toViewChange({ ...events[0]!, type: 'SomethingNew' })).toBeUndefined();
  });
});
