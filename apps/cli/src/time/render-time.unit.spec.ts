import type { JobComparisonResponse, JobDiffResponse } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { renderComparison } from './compare.js';
import { renderDiff } from './render-change.js';

const paint = createPaint(false);
const jobId = '01890000-0000-7000-8000-000000000001';
const usage = (steps: number, costMicroUsd: number) => ({
  steps,
  inputTokens: steps * 1_000,
  cachedInputTokens: 0,
  outputTokens: steps * 10,
  costMicroUsd,
});
const entry = { hash: 'a'.repeat(64), size: 2_048, writtenAt: '2026-01-01T00:00:00.000Z' };

describe('a diff', () => {
  it('shows phases, todos, files and usage, followed by text diffs', () => {
    const diff: JobDiffResponse = {
      jobId,
      from: { position: 10, status: 'running', phase: 1, usage: usage(1, 0) },
      to: { position: 20, status: 'completed', phase: 2, usage: usage(3, 20_000) },
      phases: [{ phase: 2, kind: 'tactical', name: 'Work\x1b[2J', to: 'completed: done' }],
      todos: [{ phase: 2, id: 3, content: 'Write it', from: 'open', to: 'done', note: 'as asked' }],
      files: { added: [{ path: 'b.md', ...entry }], removed: [], changed: [{ path: 'a.md', from: entry, to: entry }] },
      usageChange: usage(2, 20_000),
      patches: [
        { path: 'a.md', patch: '--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-one\n+two\n' },
        { path: 'b.md', omittedBecause: 'not-text' },
      ],
    };
    expect(renderDiff(diff, paint)).toEqual([
      `job       ${jobId}`,
      'from      10 (running, phase 1)',
      'to        20 (completed, phase 2)',
      'spent     +2 steps  +2000 tokens in  +20 out  +$0.0200',
      '',
      'phases',
      expect.stringMatching(/^ {2}2 tactical Work[^\x1b]* not started → completed: done$/),
      '',
      'todos',
      '  ✓ 2.3 Write it (as asked)',
      '',
      'files',
      '  ~ a.md 2 KiB → 2 KiB',
      '  + b.md 2 KiB',
      '',
      '--- a/a.md',
      '+++ b/a.md',
      '@@ -1 +1 @@',
      '-one',
      '+two',
      '',
      'b.md: not a text file',
    ]);
  });
});

describe('a comparison', () => {
  it('shows both jobs side by side, and where they first differ', () => {
    const side = { jobId, status: 'completed', agent: 'creator', phaseCount: 3, usage: usage(9, 100), fileCount: 2 };
    const compared: JobComparisonResponse = {
      left: side,
      right: {
        ...side,
        status: 'failed',
        failure: { code: 'denied_calls', message: 'eight calls in a row' },
        fork: { parent: { jobId, version: 3, hash: 'b'.repeat(64) }, position: 41, mode: 'live-model' },
      },
      usageChange: usage(-1, -50),
      files: { added: [], removed: [{ path: 'out.md', ...entry }], changed: [] },
      hasSameFiles: false,
      firstDifference: {
        phase: 2,
        step: 4,
        left: { type: 'ToolCallFailed', step: 4, position: 50, content: { code: 'broken', message: 'no' } },
      },
    };
    const text = renderComparison(compared, paint).join('\n');
    expect(text).toMatch(/outcome +completed +failed/);
    expect(text).toMatch(/fork +of 01890000 at 41, live-model/);
    expect(text).toContain('right minus left -1 step  -1000 tokens in  -10 out  -$0.00005');
    expect(text).toContain('  - out.md 2 KiB');
    expect(text).toContain(
      'first difference: phase 2, step 4\n  left  50 ToolCallFailed broken · no\n  right no further event',
    );
    expect(text).toContain(`job         ${jobId}  ${jobId}`);
    const narrow = renderComparison(compared, paint, 60).slice(0, 5);
    expect(narrow.every((line) => line.length <= 60)).toBe(true);
    expect(narrow[2]).toMatch(/^outcome +completed +failed$/);
    const { firstDifference: _first, ...same } = compared;
    expect(renderComparison({ ...same, hasSameFiles: true }, paint).join('\n')).toContain(
      'no difference in their events',
    );
  });
});
