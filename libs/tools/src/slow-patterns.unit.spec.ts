import { itemsOf, planLeft } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { withoutMarkup } from './documents/citation/normalise.js';

/** Long enough that a pattern whose time grows with the square of its text does not end within the time of a spec. */
const MANY = 120_000;

describe('patterns over texts that a model writes', () => {
  it('end for a heading of blanks', () => {
    expect(itemsOf(`##${' '.repeat(MANY)}x${' '.repeat(MANY)}#${' '.repeat(MANY)}y\n- one`, 'Notes')).toEqual([]);
    expect(itemsOf('## Notes ##  \n\n- one\n* two', 'notes')).toEqual(['one', 'two']);
  });

  it('end for a plan of blanks', () => {
    expect(planLeft(`#${'\t'.repeat(MANY)}B${'\tPHASE\t0\tE'.repeat(5_000)}\u2028`)).toMatchObject({ marked: 1 });
    expect(planLeft(`- [ ]${' '.repeat(MANY)}\u2028x`).marked).toBe(1);
    expect(planLeft('# Plan\n## Phase 1: done\n- [x] all')).toEqual({ marked: 2, open: [] });
    expect(planLeft('## The phase 2\n').open).toEqual(['The phase 2']);
  });

  it('end for a quotation of brackets', () => {
    expect(withoutMarkup('['.repeat(MANY))).toHaveLength(MANY);
    expect(withoutMarkup('see [the law](https://example.org)')).toBe('see the law');
  });
});
