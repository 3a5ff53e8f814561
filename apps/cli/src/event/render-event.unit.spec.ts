import { summariseEvent } from '@phaseline/client';
import { jobEventDefinitions, phaseEventDefinitions } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { JOB_ID, runningJob } from '../testing/example-job.js';
import { renderEvent, formatStreamName } from './render-event.js';

const paint = createPaint(false);

describe('an event on one line', () => {
  it('has position, time, stream, type and summary', () => {
    const lines = runningJob().records.map((event) => renderEvent(event, { paint }));
    expect(lines.slice(0, 4)).toEqual([
      '    101  2025-03-01 12:00:00.000  job        JobSubmitted           creator · workflow phase-alternation · 1 file',
      '    103  2025-03-01 12:00:01.000  phase 1    PhaseStarted           phase 1 strategic Explore and plan · 2 todos',
      '    105  2025-03-01 12:00:02.000  phase 1    ModelCallStarted       step 1 · default · 1000 tokens in',
      '    107  2025-03-01 12:00:03.000  phase 1    ModelResponded         step 1 · 1000+50 tokens, $0.0012',
    ]);
    expect(lines.at(-1)).toContain('chunk_document · documents/spec.md');
  });

  it('lists the tokens per prompt layer for a model call', () => {
    const layers = { system: 300, todos: 200, tools: 1_400, summary: 0, conversation: 3_100 };
    const gist = summariseEvent({
      type: 'ModelCallStarted',
      data: { step: 7, model: 'default', inputTokens: 5_000, layers },
    });
    expect(gist).toBe('step 7 · default · 5000 tokens in (system 300, todos 200, tools 1400, conversation 3100)');
  });

  it('names who steered, paused and resumed', () => {
    const at = '2025-03-01T12:00:00.000Z';
    const gist = (type: string, data: Record<string, unknown>) =>
      summariseEvent({ type, data: { actor: 'ada', at, ...data } });
    expect(gist('JobPaused', { reason: '' })).toBe('by ada');
    expect(gist('JobResumed', { reason: 'go' })).toBe('by ada · go');
    expect(gist('JobSteered', { message: 'Be brief.' })).toBe('Be brief. · by ada');
  });

  it('names the guard that decided, and whether it had an effect', () => {
    const gist = (stage: string, more = {}) =>
      summariseEvent({
        type: 'GuardDecided',
        data: { guard: { name: 'no-reports', stage }, decision: 'deny', reason: 'not now', ...more },
      });
    expect(gist('production')).toBe('no-reports · deny · not now');
    expect(gist('shadow')).toBe('no-reports · deny · in shadow · not now');
    expect(gist('production', { override: { actor: 'ada' } })).toBe('no-reports · deny · overridden · not now');
  });

  it('says that a result belongs to another call, and what a fork does without results', () => {
    const data = { content: 'x', durationMs: 3, nearest: { phase: 2, callId: 'call_2_1_1' } };
    expect(summariseEvent({ type: 'ToolCallCompleted', data })).toBe('3 ms · result of another call, call_2_1_1 · x');
    const unrecorded = { '*': 'nearest', fetch_url: 'fail' };
    expect(summariseEvent({ type: 'JobForked', data: { mode: 'recorded', unrecorded } })).toContain(
      'recorded · unrecorded *=nearest fetch_url=fail',
    );
  });

  it('omits the phase number if the event has none', () => {
    expect(
      summariseEvent({
        type: 'PhaseStarted',
        data: { identity: { kind: 'tactical', name: 'Extract' }, plan: { todos: [] } },
      }),
    ).toBe('tactical Extract · 0 todos');
  });

  it('fits the terminal', () => {
    for (const event of runningJob().records)
      expect(renderEvent(event, { paint, columns: 90 }).length).toBeLessThanOrEqual(90);
  });

  it('stays on one line for a tool result of many lines', () => {
    const event = {
      ...runningJob().records[0]!,
      type: 'ToolCallCompleted',
      data: { content: `one\ntwo\u001b[2J${'x'.repeat(10_000)}`, durationMs: 3 },
    };
    const line = renderEvent(event, { paint });
    expect(line).toContain('3 ms · one two·[2Jx');
    expect(line.length).toBeLessThan(300);
    expect(line).not.toContain('\n');
  });

  it('shows the full name of a stream of unknown kind', () => {
    expect(formatStreamName(`phase-${JOB_ID}-12`)).toBe('phase 12');
    expect(formatStreamName('guard-7\u001b')).toBe('guard-7·');
  });
});

describe('the summary of an event', () => {
  it.each([...jobEventDefinitions, ...phaseEventDefinitions].map(({ type }) => type))(
    'accepts data of any shape for %s',
    (type) => {
      expect(typeof summariseEvent({ type, data: {} })).toBe('string');
      expect(typeof summariseEvent({ type, data: { calls: 'x', usage: [], result: null, name: 5, tree: 1 } })).toBe(
        'string',
      );
    },
  );

  it('is the text of an event of unknown type', () => {
    expect(summariseEvent({ type: 'SomethingNew', data: { reason: 'costs much' } })).toBe('costs much');
  });
});
