import type { CallId } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import { buildPhaseStarted, buildTodoCompleted, buildToolCallRequested } from '../phase/phase.fixture.js';
import { findUnacceptedWork } from './find-unaccepted-work.js';

const tactical = buildPhaseStarted();
const strategic = buildPhaseStarted({ identity: { kind: 'strategic' } });
const write = (path: string, digit = '1'): readonly PhaseEvent[] => [
  buildToolCallRequested('call_1', 'inline'),
  {
    type: 'FileWritten',
    data: { path, hash: digit.repeat(64), size: 1, writtenAt: '2026-01-01T00:00:00.000Z', callId: 'call_1' as CallId },
  },
];
const end = (outcome: string, rest: object = {}): PhaseEvent => ({
  type: 'PhaseCompleted',
  data: { outcome, ...rest } as Extract<PhaseEvent, { type: 'PhaseCompleted' }>['data'],
});
const rewound: PhaseEvent = { type: 'TodosRewound', data: { issue: 'It cannot work.', callId: 'call_1' as CallId } };
const done = [buildTodoCompleted(1), buildTodoCompleted(2)];
const decide = (...events: readonly PhaseEvent[]): string => findUnacceptedWork(foldPhase(events)!).kind;

describe('the files of a repository', () => {
  it('are accepted when the phase has completed its todos', () => {
    expect(decide(tactical, ...write('repository/a.md'), ...done, end('done'))).toBe('accepted');
  });

  it('are accepted after a completed todo until one of them changes', () => {
    const first = [tactical, ...write('repository/a.md'), buildTodoCompleted(1)];
    expect(decide(...first)).toBe('accepted');
    expect(decide(...first, ...write('repository/.git/HEAD'), ...write('notes.md'))).toBe('accepted');
    expect(decide(...first, ...write('repository/a.md', '2'))).toBe('unaccepted');
  });

  it.each([
    ['abandoned its list', [rewound, end('rewound', { rewound: { issue: 'It cannot work.' } })]],
    ['returned with open todos', [end('blocked', { returned: { outcome: 'blocked', result: {} } })]],
  ])('are not accepted by a phase that %s, but for its completed todos', (_what, rest) => {
    expect(decide(tactical, ...write('repository/a.md'), ...rest)).toBe('unaccepted');
    expect(decide(tactical, ...write('repository/a.md'), buildTodoCompleted(1), ...rest)).toBe('accepted');
    expect(decide(tactical, ...rest)).toBe('untouched');
  });

  it('are not accepted by a plan, but by the completion of the job', () => {
    expect(decide(strategic, buildTodoCompleted(1))).toBe('untouched');
    expect(decide(strategic, ...done, end('planned'))).toBe('untouched');
    expect(decide(strategic, ...write('repository/a.md'), ...done, end('planned'))).toBe('accepted');
    const completion = { summary: 'Done.', deliverables: [], confidence: 1 };
    expect(decide(strategic, ...done, end('complete', { completion }))).toBe('accepted');
  });
});
