import { describe, expect, it } from 'vitest';
import { ModelError, modelProfileSchema } from '@phaseline/model';
import { foldStartedPhase } from '../phase-started.fixture.js';
import { decideAfterError } from './decide-after-error.js';

const now = new Date('2026-01-01T00:00:00Z');
const state = foldStartedPhase({});
const profile = (waitMs: number) => {
  const parsed = modelProfileSchema.parse({ name: 'default', model: 'm', contextTokens: 1_000 });
  return { retries: { ...parsed.retries, waitMs } };
};
const lost = (changes = {}) => new ModelError('unreachable', 'down', { mayBeCharged: false, attempts: 99, ...changes });
const outage = (answeredOthers: number) => ({ attempts: 1, answeredOthers, probes: 0 });

describe('after a failed attempt', () => {
  it('a retryable one is repeated immediately while attempts are left', () => {
    const error = lost({ mayBeCharged: true, attempts: 1, retryable: true });
    expect(decideAfterError(state, error, undefined, profile(60_000), now)).toBe('retry');
  });

  it('the phase waits for an unreachable server, and makes no other retries meanwhile', () => {
    expect(decideAfterError(state, lost(), undefined, profile(60_000), now)).toBe('wait');
    const error = lost({ mayBeCharged: true, attempts: 1, retryable: true });
    expect(decideAfterError(state, error, outage(0), profile(60_000), now)).toBe('wait');
  });

  it('a call that the end of its turn stopped is reserved again, where the turn is checked', () => {
    const error = new ModelError('aborted', 'it was stopped');
    expect(decideAfterError(state, error, undefined, profile(0), now)).toBe('retry');
    expect(decideAfterError(state, error, outage(3), profile(60_000), now)).toBe('retry');
  });

  it('the phase fails when its profile does not wait', () => {
    expect(decideAfterError(state, lost(), undefined, profile(0), now)).toBe('fail');
  });

  it('the phase fails when the server answers other calls and may charge this one', () => {
    const error = lost({ mayBeCharged: true });
    expect(decideAfterError(state, error, outage(2), profile(60_000), now)).toBe('wait');
    expect(decideAfterError(state, error, outage(3), profile(60_000), now)).toBe('fail');
  });

  it('the phase fails after the outage when it has waited for long enough', () => {
    const waiting = {
      ...state,
      modelCall: { ...state.modelCall, awaited: { since: '2025-12-31T23:00:00Z' } },
    } as typeof state;
    expect(decideAfterError(waiting, lost(), outage(0), profile(60_000), now)).toBe('fail-after-outage');
  });
});
