import { describe, expect, it } from 'vitest';
import { foldPhase } from './evolve-phase.js';
import { modelResponded, phaseStarted } from './phase.fixture.js';
import { refuseCall } from './reserve-call.js';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const call = { inputTokens: 100, maxOutputTokens: 50, worstCaseMicroUsd: 20, contextTokens: 1_000 };
const state = (allowance: object) => foldPhase([phaseStarted({ allowance }), modelResponded(1)])!;
const code = (allowance: object, estimate = call) => {
  const event = refuseCall(state(allowance), estimate, NOW);
  return event?.type === 'PhaseFailed' ? event.data.code : event;
};

describe('refuseCall', () => {
  // The fixture's answer took 15 tokens and 7 micro-USD.
  it('lets a call out that stays within the allowance to the last token and micro-dollar', () => {
    expect(code({ tokens: 165, costMicroUsd: 27, deadlineAt: '2030-01-01T00:00:00.001Z' })).toBeUndefined();
  });

  it.each([
    ['cost_limit', { costMicroUsd: 26 }, call],
    ['token_limit', { tokens: 164 }, call],
    ['wall_time_limit', { deadlineAt: NOW.toISOString() }, call],
    ['context_limit', {}, { ...call, contextTokens: 149 }],
  ])('refuses by the worst case, before anything is spent: %s', (expected, allowance, estimate) => {
    expect(code(allowance, estimate)).toBe(expected);
  });
});
