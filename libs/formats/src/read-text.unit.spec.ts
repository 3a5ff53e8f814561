import { describe, expect, it } from 'vitest';
import { readText } from './read-text.js';
import type { SourceBlock } from '@phaseline/documents';

const read = async (source: string): Promise<readonly SourceBlock[]> =>
  (await readText(source, new AbortController().signal)).blocks;

describe('readText', () => {
  it('finds numbered, underlined, capitalised and single-line headings, but not numbered sentences', async () => {
    const blocks = await read(
      'TERMS OF USE\n\n1 Scope\n\nTitle\n=====\n\n1. The operator must act.\n\n§ 5 Pflichten\n\n2. Operators must keep logs\n',
    );
    expect(blocks.map((block) => `${block.kind}: ${block.text}`)).toEqual([
      'heading: TERMS OF USE',
      'heading: 1 Scope',
      'heading: Title',
      'list-item: The operator must act.',
      'heading: § 5 Pflichten',
      'list-item: Operators must keep logs',
    ]);
  });

  it('reads items with continuation lines, levels and lead-in sentence', async () => {
    const blocks = await read(
      'The operator shall:\n\n  (a) keep the\n      log;\n  (b) act:\n      - at once\n\n        and with care\n  (c) report.\n',
    );
    expect(blocks.map(({ text, level, leadIn }) => [text, level, leadIn])).toEqual([
      ['The operator shall:', undefined, undefined],
      ['keep the log;', 1, 0],
      ['act:', 1, 0],
      ['at once', 2, 2],
      ['and with care', undefined, 3],
      ['report.', 1, 0],
    ]);
  });

  it('removes page breaks with their headers and footers', async () => {
    const blocks = await read(
      'The client must\n\n\nDoe          Standards          [Page 3]\n\f\nRFC 1        Title        May 1999\n\n\nanswer at once.\n\nNext.\n',
    );
    expect(blocks.map((block) => block.text)).toEqual(['The client must answer at once.', 'Next.']);
    expect(blocks[0]?.marks).toEqual([[0, 1], [16, 9]]); // prettier-ignore
  });

  it('reads tables drawn with bars', async () => {
    const blocks = await read('| Name | Required |\n|------|----------|\n| id   | yes      |\n');
    expect(blocks[1]).toMatchObject({ kind: 'table-row', text: 'id | yes', header: ['Name', 'Required'] });
  });
});
