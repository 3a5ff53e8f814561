import type { RecordedEvent } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { findWaitLosses } from './judge-waits.js';

type EventSketch = readonly [type: string, data: object];

const asked: readonly EventSketch[] = [
  ['QuestionAsked', { callId: 'q' }],
  ['QuestionAnswered', { callId: 'q', answer: 'this' }],
  ['ToolCallCompleted', { callId: 'q', content: 'root answered: this' }],
  ['ApprovalRequested', { callId: 'a' }],
  ['ApprovalRefused', { callId: 'a' }],
];
const told = [
  { jobId: '1', callId: 'q', value: 'this', isAccepted: true },
  { jobId: '1', callId: 'q', value: 'that', isAccepted: false },
  { jobId: '1', callId: 'a', value: 'approved', isAccepted: false },
  { jobId: '1', callId: 'a', value: 'refused', isAccepted: true },
];

const judge = (sketch: readonly EventSketch[], decisions = told): string =>
  findWaitLosses(
    sketch.map(([type, data]) => ({ type, data }) as unknown as RecordedEvent),
    decisions,
  ).join('; ');

describe('findWaitLosses', () => {
  it('accepts waits that ended once, as one person was told', () => {
    expect(judge(asked)).toBe('');
  });

  it.each([
    [
      'a question that was answered twice',
      [...asked, ['QuestionAnswered', { callId: 'q', answer: 'that' }]],
      'decided 2 times',
    ],
    ['a question that timed out', asked.with(1, ['QuestionTimedOut', { callId: 'q' }]), 'timed out'],
    ['an approval that never ended', asked.slice(0, 4), 'a was decided 0 times'],
    [
      'another answer than the accepted one',
      asked.with(1, ['QuestionAnswered', { callId: 'q', answer: 'that' }]),
      'q is this',
    ],
    [
      'an agent that read another answer',
      asked.with(2, ['ToolCallCompleted', { callId: 'q', content: 'x answered: that' }]),
      'did not read',
    ],
    ['a refused call that ran', [...asked, ['ToolCallStarted', { callId: 'a' }]], 'a was started although'],
  ] as const)('reports %s', (_, sketch, fragment) => {
    expect(judge(sketch as readonly EventSketch[])).toContain(fragment);
  });

  it('reports two people who were both told that they decided, and an accepted decision that is lost', () => {
    expect(
      judge(
        asked,
        told.map((one) => ({ ...one, isAccepted: true })),
      ),
    ).toContain('q is this and that');
    expect(judge(asked, [])).toContain('q is undecided');
  });
});
