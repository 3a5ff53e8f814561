import { describe, expect, it } from 'vitest';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEventData } from '../phase/phase-events.js';
import { phaseStarted } from '../phase/phase.fixture.js';
import { checkGates } from './check-gates.js';

const given = (start: Partial<PhaseEventData<'PhaseStarted'>>) => foldPhase([phaseStarted(start)])!;
const nothing = { todosFile: undefined };

describe('the gate obligations', () => {
  const obligations = [
    { phase: 2, id: 1, content: 'Check the annex' },
    { phase: 4, id: 3, content: 'Ask for the drawings' },
  ];

  it('refuses an end of the job while todos of earlier lists are owed, and names each', () => {
    const verdict = checkGates(['obligations'], given({ obligations }), nothing);
    expect(verdict).toMatchObject({ passed: false, gate: 'obligations' });
    expect(verdict).toMatchObject({
      message: expect.stringMatching(/2-1 "Check the annex".*4-3 "Ask for the drawings"/) as unknown,
    });
  });

  it('lets a job end that owes nothing', () => {
    expect(checkGates(['obligations'], given({}), nothing)).toEqual({ passed: true });
    expect(checkGates(['obligations'], given({ obligations: [] }), nothing)).toEqual({ passed: true });
  });

  it('is asked also behind a gate that passed', () => {
    const plan = '# Plan\n- [x] all of it\n';
    expect(
      checkGates(['plan-exhausted', 'obligations'], given({ obligations }), { ...nothing, mainPlan: plan }),
    ).toMatchObject({ passed: false, gate: 'obligations' });
  });
});

describe('the gate plan-exhausted', () => {
  it('refuses while the plan has open items, and passes once all are done', () => {
    const asked = (mainPlan: string) => checkGates(['plan-exhausted'], given({}), { ...nothing, mainPlan });
    expect(asked('# Plan\n- [x] first\n- [ ] second\n')).toMatchObject({
      passed: false,
      gate: 'plan-exhausted',
      message: expect.stringContaining('second') as unknown,
    });
    expect(asked('# Plan\n- [x] first\n')).toEqual({ passed: true });
  });
});

describe('the gate deliverables', () => {
  it('refuses one that is missing, empty or blank', () => {
    const tree = { 'a.md': { hash: 'a'.repeat(64), size: 3 }, 'empty.md': { hash: 'b'.repeat(64), size: 0 } };
    const asked = (deliverable: string, blankFiles: readonly string[] = []) =>
      checkGates(['deliverables'], given({ tree, deliverables: [deliverable] }), { ...nothing, blankFiles }).passed;
    expect(asked('a.md')).toBe(true);
    expect(asked('b.md')).toBe(false);
    expect(asked('empty.md')).toBe(false);
    expect(asked('a.md', ['a.md'])).toBe(false);
  });
});
