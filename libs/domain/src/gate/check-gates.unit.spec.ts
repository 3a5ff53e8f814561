import type { StartChanges } from '../testing/phase-start.js';
import { describe, expect, it } from 'vitest';
import { foldPhase } from '../phase/evolve-phase.js';
import { buildPhaseStarted } from '../phase/phase.fixture.js';
import { checkGates } from './check-gates.js';

const phaseStartedWith = (start: StartChanges) => foldPhase([buildPhaseStarted(start)])!;
const NO_FILES = { todosFile: undefined };

describe('the gate obligations', () => {
  const obligations = [
    { phase: 2, id: 1, content: 'Check the annex' },
    { phase: 4, id: 3, content: 'Ask for the drawings' },
  ];

  it('rejects the end of the job while todos of earlier lists are owed, and names each', () => {
    const result = checkGates(['obligations'], phaseStartedWith({ plan: { obligations } }), NO_FILES);
    expect(result).toMatchObject({ passed: false, gate: 'obligations' });
    expect(result).toMatchObject({
      message: expect.stringMatching(/2-1 "Check the annex".*4-3 "Ask for the drawings"/) as unknown,
    });
  });

  it('passes for a job that owes nothing', () => {
    expect(checkGates(['obligations'], phaseStartedWith({}), NO_FILES)).toEqual({ passed: true });
    expect(checkGates(['obligations'], phaseStartedWith({ plan: { obligations: [] } }), NO_FILES)).toEqual({
      passed: true,
    });
  });

  it('is also checked after a gate that passed', () => {
    const plan = '# Plan\n- [x] all of it\n';
    expect(
      checkGates(['plan-exhausted', 'obligations'], phaseStartedWith({ plan: { obligations } }), {
        ...NO_FILES,
        mainPlan: plan,
      }),
    ).toMatchObject({ passed: false, gate: 'obligations' });
  });
});

describe('the gate plan-exhausted', () => {
  it('rejects while the plan has open items, and passes once all are done', () => {
    const check = (mainPlan: string) => checkGates(['plan-exhausted'], phaseStartedWith({}), { ...NO_FILES, mainPlan });
    expect(check('# Plan\n- [x] first\n- [ ] second\n')).toMatchObject({
      passed: false,
      gate: 'plan-exhausted',
      message: expect.stringContaining('second') as unknown,
    });
    expect(check('# Plan\n- [x] first\n')).toEqual({ passed: true });
  });
});

describe('the gate deliverables', () => {
  it('rejects a deliverable that is missing, empty or blank', () => {
    const writtenAt = '2026-01-01T00:00:00.000Z';
    const tree = {
      'a.md': { hash: 'a'.repeat(64), size: 3, writtenAt },
      'empty.md': { hash: 'b'.repeat(64), size: 0, writtenAt },
    };
    const check = (deliverable: string, blankFiles: readonly string[] = []) =>
      checkGates(['deliverables'], phaseStartedWith({ workspace: { tree }, plan: { deliverables: [deliverable] } }), {
        ...NO_FILES,
        blankFiles,
      }).passed;
    expect(check('a.md')).toBe(true);
    expect(check('b.md')).toBe(false);
    expect(check('empty.md')).toBe(false);
    expect(check('a.md', ['a.md'])).toBe(false);
  });
});
