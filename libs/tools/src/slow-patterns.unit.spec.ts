import { itemsOf, planLeft } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { stemOf } from './discovery/words-of.js';
import { QuoteIndex } from './documents/citation/find-quote.js';
import { normalise, withoutMarkup } from './documents/citation/normalise.js';
import { markdownPieces } from './documents/format/markdown-pieces.js';
import { seam, Vocabulary } from './documents/format/pdf-hyphens.js';
import { linesOfPage, withoutRunningHeads, type PdfItem, type PdfLine } from './documents/format/pdf-lines.js';
import type { Finding } from './documents/requirement/classify-sentence.js';
import { inheritedFrom, isOpen, sharedVerb } from './documents/requirement/lead-in.js';
import { segmentSentences } from './documents/sentence/segment-sentences.js';

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

/** With quadratic time these take longer than a spec may. */
describe('patterns over documents', () => {
  const item = { x: 0, y: 700, width: 1, size: 10, font: 'a', mono: false };
  const line = (text: string): PdfLine => ({ ...item, page: 1, text, right: 100, y: 5, beside: false });

  it('end for a quotation and for a source of blank lines', () => {
    expect(withoutMarkup(`- one${'\n'.repeat(1_000_000)}`).trim()).toBe('one');
    expect(withoutMarkup('\n\n  - one\n\n2. two')).toBe('\n\none\n\ntwo');
  });

  it('end for a paragraph of words: its end is not looked up again with each of them', () => {
    const { text, offsets } = normalise('word '.repeat(800_000), { loose: false });
    expect([text.length, offsets.length]).toEqual([3_999_999, 3_999_999]);
  });

  it('end for a quotation that stands in one long paragraph many times', () => {
    const block = {
      kind: 'paragraph' as const,
      text: 'word '.repeat(100_000).trim(),
      section: [],
      marks: [[0, 1]] as [number, number][],
    };
    const index = new QuoteIndex({ format: 'text', blocks: [block], units: 1, notes: [] });
    expect(index.find('word word')).toHaveLength(200);
  });

  it('end for a line of a PDF that is one word, a run of blanks, or made of many pieces', () => {
    expect(seam(`${'a'.repeat(1_000_000)}!a-`, 'b', new Vocabulary())).toEqual({ cut: 1, between: '' });
    const frame = { page: 1, height: 800, lines: [line(`1${' '.repeat(1_000_000)}x`), line('Page 1 of 9')] };
    expect(withoutRunningHeads([frame])).toMatchObject({ removed: 1, lines: [frame.lines[0]] });
    const items = Array.from({ length: 300_000 }, (_, index): PdfItem => ({
      ...item,
      text: index % 2 ? ' ' : 'ab',
      width: 0,
    }));
    expect(linesOfPage(1, items)[0]?.text).toHaveLength(450_000 - 1);
  });

  it('end for the second row of a table that is nearly one', () => {
    const source = `a | b\n-|-${' '.repeat(99_000)}x\n`.repeat(10);
    expect(
      markdownPieces(source)
        .map(({ text }) => text)
        .join(''),
    ).toBe(source);
  });

  it('end for sentences that do not end', () => {
    expect(segmentSentences('-\n'.repeat(1_000_000)).length).toBeGreaterThan(0);
    const finding: Finding = {
      modality: 'obligation',
      confidence: 1,
      keyword: 'must',
      keywords: ['must'],
      end: 4,
      upperCase: false,
    };
    const blanks = `must${' :,'.repeat(300_000)}`;
    expect(inheritedFrom(`${blanks}x`, finding)).toMatchObject({ confidence: 0.86 });
    expect(isOpen(`${blanks}x`, finding)).toBe(false);
    expect(sharedVerb('ist '.repeat(300_000), 'zu'.repeat(300_000))).toBeUndefined();
    expect(sharedVerb('Der Betreiber hat:', 'die Daten zu löschen')).toBe('hat … zu löschen');
  });

  it('end for a word that is none', () => {
    expect(stemOf('a'.repeat(1_000_000))).toHaveLength(1_000_000);
    expect(['listing', 'lists', 'list', 'planned'].map(stemOf)).toEqual(['list', 'list', 'list', 'plan']);
  });
});
