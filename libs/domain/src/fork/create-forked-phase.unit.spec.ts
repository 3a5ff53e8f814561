import { describe, expect, it } from 'vitest';
import { foldPhase } from '../phase/evolve-phase.js';
import { buildPhaseStarted, JOB_ID } from '../phase/phase.fixture.js';
import type { PhaseEventData } from '../phase/phase-events.js';

const outcome = (name: string) => ({ outcome: name, gates: [] });
const started = buildPhaseStarted({ routes: { finish: outcome('done'), rewind: outcome('rewound') } });

function fork(changes: PhaseEventData<'PhaseForked'>['changes']) {
  const parent = { streamId: `phase-${JOB_ID}-1`, version: 1, hash: '0'.repeat(64) };
  const data = { jobId: JOB_ID, phase: 1, parent, changes, allowance: { tokens: 5 } };
  return foldPhase([started, { type: 'PhaseForked', data }])!;
}

describe('a forked phase', () => {
  it('runs by the terms of its parent, except for those that the fork changes', () => {
    const { start, money } = fork({ terms: { model: 'large' } });
    expect(start.terms).toEqual({ ...foldPhase([started])!.start.terms, model: 'large', allowance: { tokens: 5 } });
    expect(start.routes.rewind).toEqual(outcome('rewound'));
    expect(money.allowance).toEqual({ tokens: 5 });
  });

  it('has no outcome that the state of its new definition lacks', () => {
    expect(fork({ routes: { finish: outcome('over') } }).start.routes).toEqual({ finish: outcome('over') });
  });
});
