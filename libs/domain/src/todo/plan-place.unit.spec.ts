import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPlanPlace } from './plan-place.js';

describe('the place of a phase in the plan', () => {
  it.each<[string, string, string, string | undefined]>([
    ['a list below "Phases"', '# Plan\n\n## Phases\n\n1. Read: all.\n2. Write up: the rest.\n', 'Write up', '2 of 2'],
    ['marked items', '- [x] Phase 1: Read\n- [ ] Phase 2: Write — later\n- [ ] Check\n', 'write', '2 of 3'],
    ['headings', '## Phase 1: Read (done)\n- [x] a\n## Phase 2: Write\n- [ ] b\n', 'Phase 2: Write', '2 of 2'],
    [
      'the first list that names it',
      '## Phases\n1. Read\n2. Write\n\n# Log\n\n- [x] Phase 1 is done.\n',
      'Write',
      '2 of 2',
    ],
    ['no plan', '', 'Read', undefined],
    ['a name that is not in the plan', '- [ ] Read\n- [ ] Write\n', 'Check', undefined],
    ['a name that is only the beginning of a word', '- [ ] Reading\n', 'Read', undefined],
    ['a name that two phases have', '- [x] Batch\n- [ ] Batch\n', 'Batch', undefined],
    ['steps below a phase', '- [ ] Read\n  - [ ] Write\n', 'Write', undefined],
    ['a code fence', '```\n- [ ] Write\n```\n', 'Write', undefined],
    ['a blank name', '- [ ] Write\n', ' ', undefined],
  ])('is counted from %s', (_what, plan, name, place) => {
    const found = findPlanPlace(plan, name);
    expect(found && `${found.number} of ${found.total}`).toBe(place);
  });

  it('can be looked for in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 200 }), fc.string(), (text, name) => {
        const found = findPlanPlace(text, name);
        if (found) expect(found.number).toBeLessThanOrEqual(found.total);
      }),
    );
  });
});
