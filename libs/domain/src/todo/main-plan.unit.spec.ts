import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlanFinished, readPlanProgress } from './main-plan.js';

describe('the marks of a plan', () => {
  it.each<[string, string, readonly string[]]>([
    ['open items', '# Plan\n\n- [x] One\n- [ ] Two\n* [ ] Three\n1. [ ] Four', ['Two', 'Three', 'Four']],
    ['a phase heading without a mark', '## Phase 1: Read ✓ COMPLETE\n## Phase 2: Write\n', ['Phase 2: Write']],
    ['no phase heading whose items are done', '## Phase 2: Write\n- [x] All of it\n', []],
    ['an open item below a heading that is done', '## Phase 1 (done)\n- [ ] Rest\n', ['Rest']],
    ['a heading below another one', '## Phase 1\n### Steps\n- [x] A\n## Phase 2\n### Steps\ntext\n', ['Phase 2']],
    ['nothing in code fences', '- [x] A\n```\n- [ ] Not this\n```\n', []],
  ])('show %s', (_what, text, open) => {
    expect(readPlanProgress(text).open).toEqual(open);
  });

  it.each([
    ['# Plan\n\n1. Read\n2. Write\n', false],
    ['', false],
    [undefined, false],
    ['- [x] One\n- [X] Two\n', true],
    ['- [x] One\n- [ ] Two\n', false],
    ['## Phase 1: A (complete)\n\n## Phase 2: B — done\n', true],
  ])('of %j mean that nothing is left: %s', (text, isFinished) => {
    expect(isPlanFinished(text)).toBe(isFinished);
  });

  it('can be read from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 200 }), (text) => void readPlanProgress(text)),
      { numRuns: 30 },
    );
  });
});
