import { buildModelCallStarted } from '../testing/example-events.js';
import { describe, expect, it } from 'vitest';
import { foldPhase } from './evolve-phase.js';
import type { PhaseEvent } from './phase-events.js';
import { buildModelResponded, buildPhaseStarted } from './phase.fixture.js';
import { checkModelCallCaps } from './check-model-call-caps.js';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const call = { inputTokens: 100, maxOutputTokens: 50, worstCaseMicroUsd: 20, contextTokens: 1_000 };
const state = (allowance: object) => foldPhase([buildPhaseStarted({ terms: { allowance } }), buildModelResponded(1)])!;
const code = (allowance: object, estimate = call) => {
  const event = checkModelCallCaps(state(allowance), estimate, NOW);
  return event?.type === 'PhaseFailed' ? event.data.code : event;
};

const started = (step: number): PhaseEvent =>
  buildModelCallStarted(step, { inputTokens: 30, reservedTokens: 40, reservedMicroUsd: 9 });
const attemptFailed = (step: number, mayBeCharged: boolean): PhaseEvent => ({
  type: 'ModelCallFailed',
  data: { step, model: 'default', code: 'stream_broken', message: 'it broke', attempts: 1, mayBeCharged },
});

describe('a failed attempt', () => {
  it.each([
    [
      'counts against the caps with its worst case when it may have been charged',
      true,
      { costMicroUsd: 18, tokens: 80 },
    ],
    ['releases its reservation when it cost nothing', false, { costMicroUsd: 0, tokens: 0 }],
  ])('%s', (_, mayBeCharged, unconfirmed) => {
    const twice = [started(1), attemptFailed(1, mayBeCharged), started(1), attemptFailed(1, mayBeCharged)];
    const phase = foldPhase([buildPhaseStarted(), ...twice])!;
    expect(phase).toMatchObject({ money: { unconfirmed }, modelCall: { open: undefined } });
    const allowance = { tokens: 80 + 150 };
    const capped = foldPhase([buildPhaseStarted({ terms: { allowance } }), ...twice])!;
    expect(checkModelCallCaps(capped, call, NOW)).toBeUndefined();
    const tighter = foldPhase([buildPhaseStarted({ terms: { allowance: { tokens: 80 + 149 } } }), ...twice])!;
    expect(checkModelCallCaps(tighter, call, NOW) === undefined).toBe(!mayBeCharged);
    const within = foldPhase([buildPhaseStarted({ terms: { allowance: { costMicroUsd: 18 + 20 } } }), ...twice])!;
    expect(checkModelCallCaps(within, call, NOW)).toBeUndefined();
    const dearer = foldPhase([buildPhaseStarted({ terms: { allowance: { costMicroUsd: 18 + 19 } } }), ...twice])!;
    expect(checkModelCallCaps(dearer, call, NOW) === undefined).toBe(!mayBeCharged);
  });
});

describe('checkModelCallCaps', () => {
  // The fixture's answer took 15 tokens and 7 micro-USD.
  it('allows a call that uses exactly the remaining tokens and micro-dollars', () => {
    expect(code({ tokens: 165, costMicroUsd: 27, deadlineAt: '2030-01-01T00:00:00.001Z' })).toBeUndefined();
  });

  it.each([
    ['cost_limit', { costMicroUsd: 26 }, call],
    ['token_limit', { tokens: 164 }, call],
    ['wall_time_limit', { deadlineAt: NOW.toISOString() }, call],
    ['context_limit', {}, { ...call, contextTokens: 149 }],
  ])('refuses a call whose worst case exceeds the cap: %s', (expected, allowance, estimate) => {
    expect(code(allowance, estimate)).toBe(expected);
  });

  it.each([
    [{ costMicroUsd: 26 }, /may cost up to \$0\.0000, and \$0\.0000 remain/, call],
    [
      { costMicroUsd: 1_000_007 },
      /may cost up to \$5\.2833, and \$1\.0000 remain/,
      { ...call, worstCaseMicroUsd: 5_283_300 },
    ],
    [{ tokens: 164 }, /may use up to 150 tokens, and 149 remain/, call],
  ])('says what the call may use and what is left', (allowance, reason, estimate) => {
    const event = checkModelCallCaps(state(allowance), estimate, NOW);
    expect(event?.type === 'PhaseFailed' && event.data.message).toMatch(reason);
  });
});
