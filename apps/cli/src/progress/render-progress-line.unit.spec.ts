import type { PhaseEvent } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { JOB_ID, runningJob, todoCompleted, type ExampleLog } from '../testing/example-job.js';
import { advanceProgress, createProgress } from './job-progress.js';
import { renderProgressLine } from './render-progress-line.js';
import { toProgressRecord } from './progress-record.js';

function renderLines(log: ExampleLog): (string | undefined)[] {
  let progress = createProgress(JOB_ID);
  return log.records.map((record) => {
    progress = advanceProgress(progress, record);
    return renderProgressLine(progress, record);
  });
}

describe('progress lines', () => {
  it('show one line per change, with the time since the start', () => {
    expect(renderLines(runningJob()).filter((line) => line !== undefined)).toEqual([
      `  0:00  job ${JOB_ID} submitted to Creator`,
      '  0:01  phase 1 started: strategic, Explore and plan, 2 todos',
      '  0:04  phase 1 · 1/2 done: look',
      '  0:05  phase 1 · 2/2 done: plan',
      '  0:06  phase 1 completed: 2/2 todos · 1 step · 1000 tokens in (60 % cached) · 50 out · $0.0012',
      '  0:07  phase 2 started: tactical, Extract, 4 todos',
      '  0:10  phase 2 · 1/4 done: read',
      '  0:11  phase 2 · chunk_document documents/spec.md',
    ]);
  });

  it('show why a gate refused and why a phase failed', () => {
    const refused: PhaseEvent = {
      type: 'TransitionRejected',
      data: { gate: 'todos-file', outcome: 'planned', message: 'expected 5 to 20 todos,\nfound 2.' },
    };
    const failed: PhaseEvent = {
      type: 'PhaseFailed',
      data: { code: 'gate_rejected', message: 'refused too often', retryable: false },
    };
    expect(renderLines(runningJob().phase(2, refused, failed)).slice(-2)).toEqual([
      '  0:12  phase 2 · gate todos-file refused: expected 5 to 20 todos, found 2.',
      '  0:13  phase 2 failed: refused too often',
    ]);
  });

  it.each([
    ['failed', undefined],
    ['blocked', 'blocked'],
    ['aborted', 'aborted'],
  ] as const)('say that a job %s', (status, end) => {
    const failed = { type: 'JobFailed', data: { code: 'x', message: 'no way on', ...(end ? { end } : {}) } } as const;
    expect(renderLines(runningJob().job(failed)).at(-1)).toBe(`  0:12  job ${status}: no way on`);
  });

  it('show why a todo is blocked, and the record counts it', () => {
    const log = runningJob().phase(2, {
      type: 'TodoBlocked',
      data: { todoId: 2, reason: 'No\naccess.', callId: 'c9' },
    });
    const progress = log.records.reduce(advanceProgress, createProgress(JOB_ID));
    expect(toProgressRecord(progress, log.records.at(-1)!).phase).toMatchObject({ todosDone: 1, todosBlocked: 1 });
    log.phase(2, { type: 'TodoUnblocked', data: { todoId: 2, callId: 'c9' } });
    expect(renderLines(log).slice(-2)).toEqual([
      '  0:12  phase 2 · todo 2 is blocked: No access. (see phaseline inbox)',
      '  0:13  phase 2 · todo 2 is no longer blocked',
    ]);
  });

  it('name who approved and refused calls, and what was cleared from the conversation', () => {
    const requestedApproval: PhaseEvent = {
      type: 'ApprovalRequested',
      data: {
        callId: 'c9',
        step: 2,
        name: 'fetch_page',
        arguments: { url: 'https://x.example/a' },
        lane: 'remote',
        effect: 'pure',
        traits: [],
        timeoutMs: 1_000,
        expiresAt: '2030-01-01T00:00:00.000Z',
      },
    };
    const events: PhaseEvent[] = [
      requestedApproval,
      { type: 'ApprovalGranted', data: { callId: 'c9', actor: 'ann' } },
      { type: 'ApprovalRefused', data: { callId: 'c8', actor: 'bob', reason: 'not that page' } },
      { type: 'ToolResultsCleared', data: { callIds: ['a', 'b'], tokens: 12_345 } },
      {
        type: 'ConversationSummarised',
        data: {
          step: 9,
          model: 'm',
          summary: 's',
          entries: 40,
          usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false },
          costMicroUsd: 1,
          durationMs: 1,
        },
      },
    ];
    expect(
      renderLines(runningJob().phase(2, ...events))
        .slice(-5)
        .map((line) => line?.slice(8)),
    ).toEqual([
      'phase 2 · waiting for approval: fetch_page · https://x.example/a (c9)',
      'phase 2 · call c9 approved by ann',
      'phase 2 · call c8 refused by bob: not that page',
      'phase 2 · 2 old results cleared from the conversation, 12.3k tokens less per call',
      'phase 2 · the conversation was summarised: 40 entries replaced',
    ]);
  });

  it('name who paused and resumed a job, with the reason if given', () => {
    const at = '2025-03-01T12:00:20.000Z';
    const log = runningJob().job(
      { type: 'JobPaused', data: { actor: 'ada', reason: '', pausedAt: at } },
      { type: 'JobResumed', data: { actor: 'ada', reason: 'the price is known' } },
    );
    expect(renderLines(log).slice(-2)).toEqual([
      '  0:12  job paused by ada',
      '  0:13  job resumed by ada: the price is known',
    ]);
  });

  it('say which phase of the plan begins, if the plan could be counted', () => {
    const log = runningJob();
    const start = log.records.find((record) => record.type === 'PhaseStarted' && record.streamId.endsWith('-2'))!;
    Object.assign(start.data['plan'] as object, { number: 2, total: 4 });
    expect(renderLines(log).filter((line) => line?.includes('Extract (2 of 4), '))).toHaveLength(1);
  });

  it('stay on one line, however long a todo is', () => {
    const log = runningJob();
    const start = log.records.find((record) => record.type === 'PhaseStarted' && record.streamId.endsWith('-2'))!;
    (start.data['plan'] as { todos: { content: string }[] }).todos[1]!.content = `first\nsecond ${'x'.repeat(5_000)}`;
    const line = renderLines(log.phase(2, todoCompleted(2))).at(-1)!;
    expect(line).not.toContain('\n');
    expect(line.length).toBeLessThan(150);
  });
});

describe('a progress record', () => {
  it('has the fields that scripts read', () => {
    const records = runningJob().records;
    const progress = records.reduce(advanceProgress, createProgress(JOB_ID));
    expect(toProgressRecord(progress, records.at(-1)!)).toEqual({
      kind: 'progress',
      jobId: JOB_ID,
      status: 'running',
      phase: {
        number: 2,
        kind: 'tactical',
        name: 'Extract',
        status: 'running',
        todosDone: 1,
        todosTotal: 4,
        currentTool: 'chunk_document documents/spec.md',
      },
      usage: { inputTokens: 2_000, cachedInputTokens: 1_200, outputTokens: 100, costMicroUsd: 2_400, steps: 2 },
      elapsedMs: 11_000,
      event: { position: 123, type: 'ToolCallRequested' },
    });
  });
});
