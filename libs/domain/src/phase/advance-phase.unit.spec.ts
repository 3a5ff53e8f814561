import type { StartChanges } from '../testing/phase-start.js';
import { describe, expect, it } from 'vitest';
import { isBlankText } from '@phaseline/basics';
import { advancePhase } from './advance-phase.js';
import { foldPhase } from './evolve-phase.js';
import type { PhaseEvent } from './phase-events.js';
import { buildModelResponded, buildPhaseStarted, buildTodo, buildTodoCompleted } from './phase.fixture.js';

const PLAN = ['todos:', ...[1, 2, 3, 4, 5].map((id) => `  - id: ${id}\n    content: Step ${id}`)].join('\n');
const file = (todosFile?: string) => ({ todosFile });
const phaseAfter = (start: StartChanges, ...events: PhaseEvent[]) => foldPhase([buildPhaseStarted(start), ...events])!;
const limits = (changes: object) => {
  const event = buildPhaseStarted();
  return {
    terms: { limits: { ...(event.type === 'PhaseStarted' ? event.data.terms.limits : ({} as never)), ...changes } },
  };
};
const strategic: StartChanges = {
  identity: { kind: 'strategic' },
  routes: {
    finish: { outcome: 'planned', gates: ['todos-file'] },
    completion: { outcome: 'completed', gates: ['deliverables'] },
  },
  plan: { deliverables: ['output/report.md'], todos: [buildTodo(1)] },
};

describe('advancePhase', () => {
  it('completes a tactical phase when its last todo is done', () => {
    const state = phaseAfter({}, buildTodoCompleted(1), buildTodoCompleted(2));
    expect(advancePhase(state, file())).toEqual({
      events: [{ type: 'PhaseCompleted', data: { outcome: 'done' } }],
      next: 'ended',
    });
  });

  it('nudges a model that stops with open todos, up to the limit, and resets the count after progress', () => {
    const stop = (count: number): PhaseEvent => ({ type: 'PhaseNudged', data: { count, message: 'go on' } });
    const start = limits({ nudges: 2 });
    const once = advancePhase(phaseAfter(start, buildModelResponded(1)), file());
    expect(once).toMatchObject({
      next: 'call-model',
      events: [{ type: 'PhaseNudged', data: { count: 1, message: expect.stringContaining('todo 1') } }],
    });
    const twice = phaseAfter(
      start,
      buildModelResponded(1),
      stop(1),
      buildModelResponded(2),
      stop(2),
      buildModelResponded(3),
    );
    expect(advancePhase(twice, file())).toMatchObject({
      next: 'ended',
      events: [{ type: 'PhaseFailed', data: { code: 'stopped_early' } }],
    });
    const progressed = phaseAfter(
      start,
      buildModelResponded(1),
      stop(1),
      buildModelResponded(2),
      stop(2),
      buildTodoCompleted(1),
      buildModelResponded(3),
    );
    expect(advancePhase(progressed, file())).toMatchObject({
      next: 'call-model',
      events: [{ type: 'PhaseNudged', data: { count: 1 } }],
    });
  });

  it('accepts the plan of a strategic phase only through the todos gate', () => {
    const done = phaseAfter(strategic, buildTodoCompleted(1));
    expect(advancePhase(done, file(undefined))).toMatchObject({
      next: 'call-model',
      events: [{ type: 'TransitionRejected', data: { gate: 'todos-file' } }],
    });
    const passed = advancePhase(done, file(PLAN));
    expect(passed).toMatchObject({
      next: 'ended',
      events: [
        {
          type: 'PhaseCompleted',
          data: { outcome: 'planned', plan: { todos: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }] } },
        },
      ],
    });
  });

  it('reopens the last todo when a gate rejects, and fails the phase when gates keep rejecting', () => {
    const rejected: PhaseEvent = {
      type: 'TransitionRejected',
      data: { gate: 'todos-file', outcome: 'planned', message: 'no' },
    };
    const state = phaseAfter({ ...strategic, ...limits({ gateRejections: 1 }) }, buildTodoCompleted(1), rejected);
    expect(state.todos.list.at(-1)?.status).toBe('open');
    const again = foldPhase([buildTodoCompleted(1)], state)!;
    expect(advancePhase(again, file())).toMatchObject({
      next: 'ended',
      events: [{ type: 'TransitionRejected' }, { type: 'PhaseFailed', data: { code: 'gate_rejected' } }],
    });
  });

  it('rejects a job_complete whose deliverable is blank', () => {
    const proposal: PhaseEvent = {
      type: 'JobCompletionProposed',
      data: { callId: 'c', completion: { summary: 's', deliverables: [], confidence: 1, notes: '' } },
    };
    const tree = { 'output/report.md': { hash: 'a'.repeat(64), size: 3, writtenAt: '2026-01-01T00:00:00.000Z' } };
    const state = phaseAfter({ ...strategic, workspace: { tree } }, buildTodoCompleted(1), proposal);
    const refused = { type: 'TransitionRejected', data: { gate: 'deliverables' } };
    expect(advancePhase(state, { ...file(PLAN), blankFiles: ['output/report.md'] })).toMatchObject({
      events: [refused],
    });
    expect(advancePhase(state, { ...file(PLAN), blankFiles: [] })).toMatchObject({ next: 'ended' });
  });

  it.each([' \n\t', '\u200b\u200d\ufeff', '\u202e\u2066', '\u3164\u2800', '\u00a0\u00ad', ''])(
    'treats %j as blank',
    (text) => {
      expect(isBlankText(text)).toBe(true);
      expect(isBlankText(`${text}x`)).toBe(false);
    },
  );

  it('rejects a job_complete whose deliverables, claimed or required, do not exist', () => {
    const proposal: PhaseEvent = {
      type: 'JobCompletionProposed',
      data: { callId: 'c', completion: { summary: 's', deliverables: ['output/other.md'], confidence: 1, notes: '' } },
    };
    const state = phaseAfter(strategic, buildTodoCompleted(1), proposal);
    expect(advancePhase(state, file(PLAN))).toMatchObject({
      next: 'call-model',
      events: [
        {
          type: 'TransitionRejected',
          data: { gate: 'deliverables', message: expect.stringMatching(/output\/report\.md.*output\/other\.md/) },
        },
      ],
    });
    const entry = { hash: 'a'.repeat(64), size: 1, writtenAt: '2026-01-01T00:00:00.000Z' };
    const there = phaseAfter(
      { ...strategic, workspace: { tree: { 'output/report.md': entry, 'output/other.md': entry } } },
      buildTodoCompleted(1),
      proposal,
    );
    expect(advancePhase(there, file())).toMatchObject({
      next: 'ended',
      events: [{ type: 'PhaseCompleted', data: { outcome: 'completed', completion: { summary: 's' } } }],
    });
  });

  it('fails a phase that runs out of steps or only makes calls that cannot be run', () => {
    expect(advancePhase(phaseAfter(limits({ steps: 1 }), buildModelResponded(1)), file())).toMatchObject({
      events: [{ type: 'PhaseFailed', data: { code: 'step_limit' } }],
    });
    const denied: PhaseEvent = {
      type: 'ToolCallDenied',
      data: { callId: 'x', step: 1, name: 'y', code: 'unknown_tool', message: 'no' },
    };
    const state = phaseAfter(
      limits({ deniedCalls: 2 }),
      buildModelResponded(1, [{ callId: 'x', name: 'y', arguments: {} }]),
      denied,
      denied,
    );
    expect(advancePhase(state, file())).toMatchObject({
      events: [{ type: 'PhaseFailed', data: { code: 'denied_calls' } }],
    });
  });
});
