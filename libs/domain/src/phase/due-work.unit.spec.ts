import { buildModelCallStarted } from '../testing/example-events.js';
import { describe, expect, it } from 'vitest';
import { dueWork } from './due-work.js';
import { foldPhase } from './evolve-phase.js';
import type { PhaseEvent } from './phase-events.js';
import {
  buildToolCallCompleted,
  buildToolCallFailed,
  buildModelResponded,
  buildPhaseStarted,
  buildToolCallRequested,
} from './phase.fixture.js';

function phaseAfter(...events: PhaseEvent[]) {
  return foldPhase([buildPhaseStarted(), ...events])!;
}
const calls = (...ids: string[]) => ids.map((callId) => ({ callId, name: 'any', arguments: {} }));
const ids = (work: ReturnType<typeof dueWork>) =>
  work.kind === 'tools' ? work.calls.map((call) => call.callId) : work.kind === 'inline-call' ? [work.call.callId] : [];

describe('dueWork', () => {
  it('is an advance when a phase has just begun', () => {
    expect(dueWork(phaseAfter()).kind).toBe('advance');
  });

  it('runs neighbouring remote calls in parallel and holds back an inline call after them', () => {
    const before = phaseAfter(
      buildModelResponded(1, calls('a', 'b', 'c', 'd')),
      buildToolCallRequested('a', 'remote'),
      buildToolCallRequested('b', 'remote'),
      buildToolCallRequested('c', 'inline'),
      buildToolCallRequested('d', 'remote'),
    );
    expect(dueWork(before)).toMatchObject({ kind: 'tools' });
    expect(ids(dueWork(before))).toEqual(['a', 'b']);
    const oneDone = foldPhase([buildToolCallCompleted('a')], before)!;
    expect(ids(dueWork(oneDone))).toEqual(['b']);
    const bothDone = foldPhase([buildToolCallFailed('b')], oneDone)!;
    expect(dueWork(bothDone)).toMatchObject({ kind: 'inline-call', call: { callId: 'c' } });
    const logDone = foldPhase([buildToolCallCompleted('c')], bothDone)!;
    expect(ids(dueWork(logDone))).toEqual(['d']);
    expect(dueWork(foldPhase([buildToolCallCompleted('d')], logDone)!).kind).toBe('advance');
  });

  it('waits for the answer to a started model call, and for nothing once the phase has ended', () => {
    const open = phaseAfter(buildModelCallStarted(1, { leaseOwner: 'w' }));
    expect(dueWork(open)).toMatchObject({ kind: 'answer', call: { leaseOwner: 'w' } });
    expect(dueWork(foldPhase([{ type: 'PhaseCancelled', data: { reason: 'enough' } }], open)!).kind).toBe('nothing');
  });
});
