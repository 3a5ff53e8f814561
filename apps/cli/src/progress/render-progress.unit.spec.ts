import { stripVTControlCharacters } from 'node:util';
import type { EventRecord } from '@phaseline/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../output/display-width.js';
import { createPaint } from '../output/paint.js';
import {
  ExampleLog,
  JOB_ID,
  phaseStarted,
  toolCallRequested,
  runningJob,
  jobSubmitted,
} from '../testing/example-job.js';
import { advanceProgress, createProgress, type JobProgress } from './job-progress.js';
import { renderBar, renderProgress, formatUsage } from './render-progress.js';

const NOW = Date.parse('2025-03-01T12:01:05.000Z');

function fold(records: readonly EventRecord[]): JobProgress {
  return records.reduce(advanceProgress, createProgress(JOB_ID));
}

function renderPlain(progress: JobProgress, columns = 100): string[] {
  return renderProgress(progress, { paint: createPaint(false), columns, now: NOW, frame: 0 });
}

describe('the live view', () => {
  it('shows status, time, phases, a bar of todos, the running tool, tokens and cost', () => {
    expect(renderPlain(fold(runningJob().records))).toEqual([
      `⠋ Creator running  1:05  ${JOB_ID}`,
      '  ✓ 1 strategic     2/2  Explore and plan',
      '  ▶ 2 tactical           Extract',
      `    ${'█'.repeat(6)}${'░'.repeat(18)} 1/4 todos`,
      '    todo  2. cut',
      '    now   chunk_document documents/spec.md',
      '  2 steps · 2000 tokens in (60 % cached) · 100 out · $0.0024',
    ]);
  });

  it('shows the blocked todos with their reasons, and the todo with which the agent continues', () => {
    const log = runningJob().phase(2, {
      type: 'TodoBlocked',
      data: { todoId: 2, reason: 'No access\u001b[2J.', callId: 'c9' },
    });
    expect(renderPlain(fold(log.records)).slice(3, 7)).toEqual([
      `    ${'█'.repeat(6)}${'░'.repeat(18)} 1/4 todos, 1 blocked`,
      '    todo  3. cite',
      expect.stringMatching(/^ {4}block 2\. No access[^\u001b]*$/),
      '    now   chunk_document documents/spec.md',
    ]);
  });

  it('stops the clock when the job has ended', () => {
    const ended = fold(runningJob().job({ type: 'JobFailed', data: { code: 'x', message: 'y' } }).records);
    expect(renderPlain(ended)[0]).toBe(`✗ Creator failed  0:12  ${JOB_ID}`);
  });

  it('shows no negative time if the clock of the server is ahead', () => {
    const progress = fold(runningJob().records);
    const lines = renderProgress(progress, {
      paint: createPaint(false),
      columns: 80,
      now: Date.parse('2025-03-01T11:00:00Z'),
      frame: 0,
    });
    expect(lines[0]).toContain('  0:00  ');
  });

  it('keeps its height if a job has many phases', () => {
    const log = new ExampleLog().job(jobSubmitted());
    for (let phase = 1; phase <= 40; phase += 1) {
      log.phase(phase, phaseStarted(phase, phase % 2 === 0 ? 'tactical' : 'strategic', 'again', ['a']), {
        type: 'PhaseCompleted',
        data: { outcome: 'done' },
      });
    }
    expect(renderPlain(fold(log.records))).toHaveLength(9);
    expect(renderPlain(fold(log.records))[1]).toBe('  … 34 earlier phases');
  });

  it('contains no control characters from models or file names', () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\r\ntwo\u202elines';
    const log = new ExampleLog()
      .job(jobSubmitted())
      .phase(1, phaseStarted(1, 'strategic', evil, [evil]), toolCallRequested('c', 'read_file', { path: evil }));

    for (const line of renderPlain(fold(log.records), 200))
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });

  it('never renders a line wider than the terminal, even with long names', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.integer({ min: 20, max: 120 }),
        (name, columns) => {
          const log = new ExampleLog()
            .job(jobSubmitted())
            .phase(
              1,
              phaseStarted(1, 'strategic', name, [name || 'a']),
              toolCallRequested('c', 'read_file', { path: name }),
            );
          for (const line of renderProgress(fold(log.records), {
            paint: createPaint(true),
            columns,
            now: NOW,
            frame: 3,
          })) {
            expect(displayWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(columns);
          }
        },
      ),
    );
  });

  it('ends every colour on its own line, even if the line is cut', () => {
    const lines = renderProgress(fold(runningJob().records), {
      paint: createPaint(true),
      columns: 24,
      now: NOW,
      frame: 0,
    });

    for (const line of lines)
      expect((line.match(/\u001b\[(?!0m|22m|39m)\d+m/g) ?? []).length).toBe(
        (line.match(/\u001b\[(0|22|39)m/g) ?? []).length,
      );
  });
});

describe('the bar', () => {
  it.each([
    [0, 4, '░░░░░░░░'],
    [1, 4, '██░░░░░░'],
    [4, 4, '████████'],
    [1, 100, '█░░░░░░░'],
    [99, 100, '███████░'],
    [0, 0, '░░░░░░░░'],
  ])('for %i of %i is full only at the end and empty only at the start', (done, total, expected) => {
    expect(renderBar(done, total, 8)).toBe(expected);
  });
});

describe('the usage', () => {
  it('marks estimates, and omits cached tokens if there are none', () => {
    const usage = { inputTokens: 1_234_567, cachedInputTokens: 0, outputTokens: 1, costMicroUsd: 2_345_678, steps: 1 };
    expect(formatUsage({ usage, isEstimated: true })).toBe('1 step · ~1.23M tokens in · ~1 out · $2.35');
  });
});
