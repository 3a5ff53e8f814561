import { describe, expect, it } from 'vitest';
import { buildModelResponded, buildPhaseStarted, buildToolCallRequested } from '../phase/phase.fixture.js';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import { describeLastAttempt } from './describe-attempt.js';

const begin = buildPhaseStarted({ plan: { deliverables: ['output/report.md'], objective: 'Extract\n all' } });

function play(...events: readonly PhaseEvent[]) {
  return foldPhase([begin, ...events])!;
}

/** A call with its end. */
function makeCall(number: number, args: object, content: string): readonly PhaseEvent[] {
  const callId = `c${number}`;
  const call = { callId, name: 'fetch', arguments: args as Record<string, string> };
  const requested = buildToolCallRequested(callId, 'remote') as Extract<PhaseEvent, { type: 'ToolCallRequested' }>;
  return [
    buildModelResponded(number, [call]),
    { ...requested, data: { ...requested.data, arguments: call.arguments } },
    { type: 'ToolCallCompleted', data: { callId, content, attempts: 1, durationMs: 1 } },
  ];
}

describe('the description of a failed attempt', () => {
  it('contains calls with their beginnings, and files that were changed, are due or were looked for', () => {
    const denied: PhaseEvent = {
      type: 'ToolCallDenied',
      data: { callId: 'x', step: 2, name: 'guess', code: 'unknown_tool', message: 'no such tool' },
    };
    const written: PhaseEvent = {
      type: 'FileWritten',
      data: { path: 'b.md', hash: 'a'.repeat(64), size: 1, writtenAt: '2026-01-01T00:00:00.000Z', callId: 'c1' },
    };
    const phase = play(
      ...makeCall(1, { path: 'docs/a.md', text: 'Mind it. Done.' }, 'first\nline'),
      written,
      buildModelResponded(2, [{ callId: 'x', name: 'guess', arguments: {} }]),
      denied,
    );
    expect(describeLastAttempt(phase, 'phase', ' no\n luck ')).toEqual({
      ...{ phase: 1, kind: 'phase', task: 'Extract all', reason: 'no luck' },
      calls: [
        {
          ...{ name: 'fetch', arguments: '{"path":"docs/a.md","text":"Mind it. Done."}' },
          ...{ outcome: 'completed', result: 'first line' },
        },
        { name: 'guess', arguments: '', outcome: 'denied', result: 'no such tool' },
      ],
      ...{ files: ['b.md', 'output/report.md', 'docs/a.md'], tests: [] },
    });
  });

  it('is small whatever the attempt did', () => {
    const calls = Array.from({ length: 200 }, (_, index) =>
      makeCall(index + 1, { path: `${index}/${'long'.repeat(40)}.md`, text: 'x'.repeat(10_000) }, 'y'.repeat(10_000)),
    );
    const attempt = describeLastAttempt(play(...calls.flat()), 'phase', 'z'.repeat(10_000))!;
    expect(attempt.calls).toHaveLength(16);
    expect(attempt.calls.at(-1)!.arguments).toContain('199/long');
    expect(JSON.stringify(attempt).length).toBeLessThan(15_000);
  });

  it('is absent if what is around the agent failed', () => {
    const failed = (code: 'model_failed' | 'stopped_early'): PhaseEvent => ({
      type: 'PhaseFailed',
      data: { code, message: 'it failed', retryable: true },
    });
    expect(describeLastAttempt(play(failed('model_failed')), 'phase', 'it failed')).toBeUndefined();
    expect(describeLastAttempt(play(failed('stopped_early')), 'phase', 'it failed')).toBeDefined();
  });
});
