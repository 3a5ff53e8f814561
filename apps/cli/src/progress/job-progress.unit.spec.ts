import type { EventRecord } from '@phaseline/client';
import type { PhaseEvent } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import {
  modelResponded,
  toolCallCompleted,
  ExampleLog,
  JOB_ID,
  phaseStarted,
  toolCallRequested,
  runningJob,
  jobSubmitted,
  todoCompleted,
} from '../testing/example-job.js';
import { advanceProgress, getCurrentPhase, createProgress, type JobProgress } from './job-progress.js';

function fold(records: readonly EventRecord[]): JobProgress {
  return records.reduce(advanceProgress, createProgress(JOB_ID));
}

describe('the progress of a job', () => {
  it('contains agent, phases, todos, open tool calls and usage', () => {
    const progress = fold(runningJob().records);
    expect(progress).toMatchObject({
      agent: 'Creator',
      status: 'running',
      usage: { inputTokens: 2_000, cachedInputTokens: 1_200, outputTokens: 100, costMicroUsd: 2_400, steps: 2 },
    });
    expect(progress.phases.map(({ number, kind, status }) => [number, kind, status])).toEqual([
      [1, 'strategic', 'completed'],
      [2, 'tactical', 'running'],
    ]);
    expect(getCurrentPhase(progress)?.todos.map(({ isDone }) => isDone)).toEqual([true, false, false, false]);
    expect(getCurrentPhase(progress)?.openCalls).toEqual([
      { callId: 'c1', name: 'chunk_document', subject: 'documents/spec.md' },
    ]);
  });

  it('removes only the tool call that has ended', () => {
    const log = runningJob().phase(2, toolCallRequested('c2', 'cite_document', {}), toolCallCompleted('c1'));
    expect(getCurrentPhase(fold(log.records))?.openCalls.map(({ callId }) => callId)).toEqual(['c2']);
  });

  it('reopens the last todo if a gate refuses', () => {
    const refused: PhaseEvent = {
      type: 'TransitionRejected',
      data: { gate: 'todos-file', outcome: 'planned', message: 'no' },
    };
    const log = new ExampleLog()
      .job(jobSubmitted())
      .phase(1, phaseStarted(1, 'strategic', 'Plan', ['a', 'b']), todoCompleted(1), todoCompleted(2), refused);
    expect(getCurrentPhase(fold(log.records))?.todos.map(({ isDone }) => isDone)).toEqual([true, false]);
  });

  it('knows why a todo is blocked, until it is unblocked or done', () => {
    const block = (todoId: number): PhaseEvent => ({
      type: 'TodoBlocked',
      data: { todoId, reason: 'No access.', callId: 'c9' },
    });
    const log = runningJob().phase(2, block(2), block(3), block(4), todoCompleted(3), {
      type: 'TodoUnblocked',
      data: { todoId: 4, callId: 'c9' },
    });
    expect(getCurrentPhase(fold(log.records))?.todos).toMatchObject([
      { id: 1, isDone: true },
      { id: 2, isDone: false, blocked: 'No access.' },
      { id: 3, isDone: true },
      { id: 4, isDone: false },
    ]);
    expect(getCurrentPhase(fold(log.records))?.todos.filter((todo) => 'blocked' in todo)).toHaveLength(1);
  });

  it('applies a late event of an older phase to that phase', () => {
    const late = new ExampleLog();
    late.records.push(...runningJob().records);
    late.phase(1, todoCompleted(2));
    expect(fold(late.records).phases[1]?.todos.filter(({ isDone }) => isDone)).toHaveLength(1);
  });

  it('keeps a failed phase next to its retry', () => {
    const failed: PhaseEvent = {
      type: 'PhaseFailed',
      data: { code: 'model_failed', message: 'the model server is gone', retryable: true },
    };
    const log = runningJob()
      .phase(2, failed)
      .phase(3, phaseStarted(3, 'tactical', 'Extract', ['cut']));
    expect(fold(log.records).phases.map(({ status }) => status)).toEqual(['completed', 'failed', 'running']);
    expect(fold(log.records).phases[1]?.openCalls).toEqual([]);
  });

  it('contains the reason of a failed job', () => {
    const log = runningJob().job({
      type: 'JobFailed',
      data: { code: 'phase_limit', message: 'the job used its 60 phases' },
    });
    expect(fold(log.records)).toMatchObject({
      status: 'failed',
      failure: { code: 'phase_limit', message: 'the job used its 60 phases' },
    });
  });

  it.each(['blocked', 'aborted'] as const)('has the status of a job that ended as %s', (end) => {
    const log = runningJob().job({ type: 'JobFailed', data: { code: 'phase_limit', message: 'm', end } });
    expect(fold(log.records).status).toBe(end);
  });

  it('has no reason of a failure that was retried', () => {
    const log = runningJob()
      .job({ type: 'JobFailed', data: { code: 'phase_limit', message: 'm' } })
      .job({ type: 'JobRetried', data: { actor: 'x', reason: 'again' } });
    expect(fold(log.records)).toMatchObject({ status: 'running', failure: undefined });
  });

  it('stays at cancelling until the job is cancelled', () => {
    const log = runningJob().job({ type: 'JobCancelRequested', data: { actor: 'x', reason: 'enough' } });
    expect(fold(log.records).status).toBe('cancelling');
    expect(fold(log.job({ type: 'JobCancelled', data: { actor: 'x', reason: 'enough' } }).records).status).toBe(
      'cancelled',
    );
  });

  it('marks token counts as estimated if those of one response are', () => {
    const log = runningJob();
    const response = modelResponded(2, []) as Extract<PhaseEvent, { type: 'ModelResponded' }>;
    log.phase(2, { ...response, data: { ...response.data, usage: { ...response.data.usage, estimated: true } } });
    expect(fold(log.records).isEstimated).toBe(true);
  });

  it('ignores unknown events and data shapes of a newer server', () => {
    const [first] = runningJob().records;
    const unknown: EventRecord[] = [
      { ...first!, type: 'SomethingNew', data: { phase: 'x' } },
      { ...first!, type: 'ModelResponded', streamId: `phase-${JOB_ID}-1`, data: { usage: 'gone' } },
      { ...first!, type: 'PhaseStarted', streamId: `phase-${JOB_ID}-1`, data: { plan: { todos: 'none' } } },
    ];
    expect(fold([...runningJob().records, ...unknown]).status).toBe('running');
  });
});
