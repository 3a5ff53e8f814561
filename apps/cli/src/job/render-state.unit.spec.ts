import type { JobStateResponse } from '@phaseline/client';
import { decodeJobEvent, decodePhaseEvent, foldJob, foldPhase, jobStream, phaseStream } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { JOB_ID, runningJob, type ExampleLog } from '../testing/example-job.js';
import { renderState } from './render-state.js';

const usage = { inputTokens: 1_000, cachedInputTokens: 600, outputTokens: 50, costMicroUsd: 1_200, steps: 1 };

/** Builds a state as the server does: folded by the domain, then serialised as JSON. */
function createState(log: ExampleLog, phase?: number, files: JobStateResponse['files'] = []): JobStateResponse {
  const job = foldJob(log.records.filter(({ streamId }) => streamId === jobStream(JOB_ID)).map(decodeJobEvent));
  const folded =
    phase === undefined
      ? undefined
      : foldPhase(log.records.filter(({ streamId }) => streamId === phaseStream(JOB_ID, phase)).map(decodePhaseEvent));
  return JSON.parse(
    JSON.stringify({ jobId: JOB_ID, position: 123, job, phase: folded, phases: [], files, usage }),
  ) as JobStateResponse;
}

describe('the state of a job', () => {
  it('shows todos, open calls, spending and files', () => {
    const log = runningJob().job({
      type: 'PhaseDispatched',
      data: { phase: 2, attempt: 1, state: 'execute', kind: 'tactical', name: 'Extract', todos: [], allowance: {} },
    });
    const lines = renderState(
      createState(log, 2, [
        { path: 'output/a.json', size: 2_048, hash: 'f'.repeat(64), writtenAt: '2026-01-01T00:00:00.000Z' },
      ]),
      createPaint(false),
    );
    expect(lines).toEqual([
      `job       ${JOB_ID}`,
      'position  123',
      'agent     Creator',
      'status    running',
      'phases    2',
      'used      1 step · 1000 tokens in (60 % cached) · 50 out · $0.0012',
      '',
      'phase 2 tactical: Extract running',
      '  ✓ 1. read',
      '  · 2. cut',
      '  · 3. cite',
      '  · 4. write',
      '  ▶ chunk_document documents/spec.md requested',
      '',
      '1 file',
      'HASH           SIZE  PATH',
      'ffffffffffff  2 KiB  output/a.json',
    ]);
  });

  it('marks a blocked todo and says why', () => {
    const log = runningJob().phase(2, {
      type: 'TodoBlocked',
      data: { todoId: 2, reason: 'No access.', callId: 'c9' },
    });
    expect(renderState(createState(log, 2), createPaint(false))).toContain('  ! 2. cut (blocked: No access.)');
  });

  it('before the first phase shows neither a phase nor files', () => {
    const lines = renderState(createState(runningJob()), createPaint(false));
    expect(lines).toContain('status    submitted');
    expect(lines.at(-1)).toBe('0 files');
  });

  it('may have another shape on a different server release', () => {
    const state = {
      jobId: JOB_ID,
      position: 1,
      job: { status: 7, submitted: [] },
      phase: { todos: 'none', calls: [], start: null },
      phases: [],
      files: [],
      usage,
    } as unknown as JobStateResponse;
    expect(renderState(state, createPaint(false))).toContain('status    unknown');
  });
});
