import { expect, it } from 'vitest';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';
import { buildPhaseStart } from '../testing/phase-start.js';
import { renderPhaseSummary } from './phase-summary.js';

const file = (letter: string, path: string) => ({
  path,
  hash: letter.repeat(64),
  size: 1,
  writtenAt: '2026-11-22T10:00:00.000Z',
});

it('counts over the whole phase, also what was removed from its conversation', () => {
  const { path: _path, ...entry } = file('a', 'x');
  const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 7, estimated: false };
  const answer = (step: number, ...callIds: readonly string[]): PhaseEvent => ({
    type: 'ModelResponded',
    data: {
      step,
      model: 'm',
      content: '',
      calls: callIds.map((callId) => ({ callId, name: 'x' })),
      end: 'calls',
      usage,
      costMicroUsd: 1_500,
      durationMs: 1_200,
    },
  });
  const requestedData = (callId: string, step = 2): Omit<PhaseEventData<'ApprovalRequested'>, 'expiresAt'> => ({
    callId,
    step,
    name: 'x',
    arguments: {},
    lane: 'inline',
    effect: 'pure',
    traits: [],
    timeoutMs: 1,
  });
  const requested = (callId: string, step: number): PhaseEvent => ({
    type: 'ToolCallRequested',
    data: requestedData(callId, step),
  });
  const ended = { attempts: 1, durationMs: 250 };
  const state = foldPhase([
    buildPhaseStart({ workspace: { tree: { 'same.md': entry, 'old.md': entry, 'gone.md': entry } } }),
    answer(1, 'c1'),
    requested('c1', 1),
    { type: 'ToolCallCompleted', data: { callId: 'c1', content: '', ...ended } },
    { type: 'FileWritten', data: file('b', 'old.md') },
    { type: 'FileWritten', data: file('b', 'new.md') },
    { type: 'FileDeleted', data: { path: 'gone.md' } },
    answer(2, 'c2', 'c3', 'c4'),
    requested('c2', 2),
    { type: 'ToolCallFailed', data: { callId: 'c2', code: 'x', message: '', ...ended } },
    { type: 'ToolCallDenied', data: { callId: 'c3', step: 2, name: 'x', code: 'unknown_tool', message: '' } },
    { type: 'ApprovalRequested', data: { ...requestedData('c4'), expiresAt: '2026-11-24T10:00:00.000Z' } },
    { type: 'ApprovalRefused', data: { callId: 'c4', actor: 'ada', reason: '' } },
    { type: 'TransitionRejected', data: { gate: 'deliverables', outcome: 'done', message: '' } },
  ])!;
  expect(renderPhaseSummary(state)).toEqual([
    '- Files: 1 new (new.md); 1 changed (old.md); 1 deleted (gone.md)',
    '- Calls: 1 completed, 1 failed',
    '- Refusals: 1 calls denied, 1 refused by a person or expired, 1 ends of the phase rejected by a gate',
    '- Model: 2 steps, 200 input tokens, 14 output tokens',
    '- Cost: 0.0030 USD',
    '- Time: 2.4 s in answers of the model, 0.5 s in calls',
  ]);
});
