import { listItems, readPlanProgress } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { stemWord } from '@phaseline/inline-packs';
import { QuoteIndex, normalise } from '@phaseline/documents';
import {
  stripMarkup,
  inheritFinding,
  isIncomplete,
  findSharedVerb,
  segmentSentences,
  type Finding,
} from '@phaseline/documents/testing';
import {
  splitMarkdown,
  decideSeam,
  Vocabulary,
  buildLines,
  removeRunningHeads,
  type PdfItem,
  type PdfLine,
} from '@phaseline/formats/testing';

/** Characters of a test text. A pattern that takes quadratic time on a text of this length exceeds the timeout of a spec. */
const MANY_CHARACTERS = 120_000;

describe('patterns over texts that a model writes take linear time', () => {
  it('for a heading of spaces', () => {
    expect(
      listItems(
        `##${' '.repeat(MANY_CHARACTERS)}x${' '.repeat(MANY_CHARACTERS)}#${' '.repeat(MANY_CHARACTERS)}y\n- one`,
        'Notes',
      ),
    ).toEqual([]);
    expect(listItems('## Notes ##  \n\n- one\n* two', 'notes')).toEqual(['one', 'two']);
  });

  it('for a plan of whitespace', () => {
    expect(readPlanProgress(`#${'\t'.repeat(MANY_CHARACTERS)}B${'\tPHASE\t0\tE'.repeat(5_000)}\u2028`)).toMatchObject({
      marked: 1,
    });
    expect(readPlanProgress(`- [ ]${' '.repeat(MANY_CHARACTERS)}\u2028x`).marked).toBe(1);
    expect(readPlanProgress('# Plan\n## Phase 1: done\n- [x] all')).toEqual({ marked: 2, open: [] });
    expect(readPlanProgress('## The phase 2\n').open).toEqual(['The phase 2']);
  });

  it('for a quotation of brackets', () => {
    expect(stripMarkup('['.repeat(MANY_CHARACTERS))).toHaveLength(MANY_CHARACTERS);
    expect(stripMarkup('see [the law](https://example.org)')).toBe('see the law');
  });
});

describe('patterns over documents take linear time', () => {
  const item = { x: 0, y: 700, width: 1, size: 10, font: 'a', isMonospace: false };
  const line = (text: string): PdfLine => ({ ...item, page: 1, text, right: 100, y: 5, isNextCell: false });

  it('for a quotation and for a source of blank lines', () => {
    expect(stripMarkup(`- one${'\n'.repeat(1_000_000)}`).trim()).toBe('one');
    expect(stripMarkup('\n\n  - one\n\n2. two')).toBe('\n\none\n\ntwo');
  });

  it('for a paragraph of many words, whose end is looked up only once', () => {
    const { text, offsets } = normalise('word '.repeat(800_000), { ignoreSpacing: false });
    expect([text.length, offsets.length]).toEqual([3_999_999, 3_999_999]);
  });

  it('for a quotation that occurs many times in one long paragraph', () => {
    const block = {
      kind: 'paragraph' as const,
      text: 'word '.repeat(100_000).trim(),
      section: [],
      marks: [[0, 1]] as [number, number][],
    };
    const index = new QuoteIndex({ format: 'text', blocks: [block], units: 1, notes: [] });
    expect(index.find('word word')).toHaveLength(200);
  });

  it('for a line of a PDF that is one word, a run of spaces, or made of many pieces', () => {
    expect(decideSeam(`${'a'.repeat(1_000_000)}!a-`, 'b', new Vocabulary())).toEqual({ cut: 1, between: '' });
    const frame = { page: 1, height: 800, lines: [line(`1${' '.repeat(1_000_000)}x`), line('Page 1 of 9')] };
    expect(removeRunningHeads([frame])).toMatchObject({ removed: 1, lines: [frame.lines[0]] });
    const items = Array.from({ length: 300_000 }, (_, index): PdfItem => ({
      ...item,
      text: index % 2 ? ' ' : 'ab',
      width: 0,
    }));
    expect(buildLines(1, items)[0]?.text).toHaveLength(450_000 - 1);
  });

  it('for a line that is almost the delimiter row of a table', () => {
    const source = `a | b\n-|-${' '.repeat(99_000)}x\n`.repeat(10);
    expect(
      splitMarkdown(source)
        .map(({ text }) => text)
        .join(''),
    ).toBe(source);
  });

  it('for sentences that never end', () => {
    expect(segmentSentences('-\n'.repeat(1_000_000)).length).toBeGreaterThan(0);
    const finding: Finding = {
      modality: 'obligation',
      confidence: 1,
      keyword: 'must',
      keywords: ['must'],
      end: 4,
      isUpperCase: false,
    };
    const openSentence = `must${' :,'.repeat(300_000)}`;
    expect(inheritFinding(`${openSentence}x`, finding)).toMatchObject({ confidence: 0.86 });
    expect(isIncomplete(`${openSentence}x`, finding)).toBe(false);
    expect(findSharedVerb('ist '.repeat(300_000), 'zu'.repeat(300_000))).toBeUndefined();
    expect(findSharedVerb('Der Betreiber hat:', 'die Daten zu löschen')).toBe('hat … zu löschen');
  });

  it('for a word of a million letters', () => {
    expect(stemWord('a'.repeat(1_000_000))).toHaveLength(1_000_000);
    expect(['listing', 'lists', 'list', 'planned'].map(stemWord)).toEqual(['list', 'list', 'list', 'plan']);
  });
});
