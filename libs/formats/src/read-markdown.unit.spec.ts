import { describe, expect, it } from 'vitest';
import { readMarkdown } from './read-markdown.js';
import type { SourceBlock } from '@phaseline/documents';

const signal = new AbortController().signal;
const read = async (source: string): Promise<readonly SourceBlock[]> =>
  (await readMarkdown(source, 'a.md', signal)).blocks;
const describeBlocks = (blocks: readonly SourceBlock[]): string[] =>
  blocks.map((block) => `${block.kind} ${block.marks.map(([, line]) => line).join(',')}: ${block.text}`);

describe('readMarkdown', () => {
  it.each([
    ['underscores', '_'.repeat(90)],
    ['asterisks', '*'.repeat(90)],
    ['opening brackets', '['.repeat(90)],
    ['less-than signs', '<'.repeat(90)],
    ['dashes', '-'.repeat(300)],
  ])('reads a line of many %s in linear time', async (_, line) => {
    const { blocks } = await readMarkdown(`Users must sign in.\n\n${line}\n\nUsers must leave.\n`, 'a.md', signal);
    expect(blocks.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['Users must sign in.', 'Users must leave.']),
    );
  });

  it('reads each block with its kind, its lines and the headings above it', async () => {
    const blocks = await read('# A\n\ntext\ngoes on\n\n## B\n\n- item\n  more\n\n> quoted\n');
    expect(describeBlocks(blocks)).toEqual([
      'heading 1: A',
      'paragraph 3,4: text goes on',
      'heading 6: B',
      'list-item 8,9: item more',
      'quote 11: quoted',
    ]);
    expect(blocks.at(-1)?.section).toEqual(['A', 'B']);
  });

  it('keeps the lead-in of a list, across nested lists and paragraphs within items', async () => {
    const blocks = await read('The rules:\n\n- first:\n  - inner\n\n  still first\n- second\n');
    expect(blocks.map((block) => [block.text, block.leadIn, block.level])).toEqual([
      ['The rules:', undefined, undefined],
      ['first:', 0, 1],
      ['inner', 1, 2],
      ['still first', 1, undefined],
      ['second', 0, 1],
    ]);
  });

  it('reads links, emphasis, escapes, entities and hard breaks as visible text, but keeps backticks', async () => {
    const [block] = await read(
      'See [the *spec*](x.md "t") &amp; \\*this\\* `a|b`,  \nthen ![alt](y.png) <b>now</b><!-- never -->.\n',
    );
    expect(block?.text).toBe('See the spec & *this* `a|b`, then alt now.');
    expect(block?.code).toEqual([[block?.text.indexOf('`a|b`'), (block?.text.indexOf('`a|b`') ?? 0) + 5]]);
  });

  it('reads code fences only as code, also if they look like headings and lists', async () => {
    const blocks = await read('```md\n# no heading\n- MUST not\n```\n\n    indented MUST\n');
    expect(blocks.map((block) => block.kind)).toEqual(['code', 'code']);
  });

  it('stores the column names with each row of a table', async () => {
    const blocks = await read('| Name | Required |\n| --- | --- |\n| `id` | yes |\n');
    expect(blocks[1]).toMatchObject({ kind: 'table-row', text: '`id` | yes', header: ['Name', 'Required'], cells: [[0, 4], [7, 10]], marks: [[0, 3]] }); // prettier-ignore
  });

  it('reads tables and lists written in HTML, with their lines', async () => {
    const blocks = await read('text\n\n<table>\n<tr><th>A</th></tr>\n<tr><td>must be</td></tr>\n</table>\n');
    expect(describeBlocks(blocks)).toEqual(['paragraph 1: text', 'table-row 4: A', 'table-row 5: must be']);
  });

  it('skips front matter and keeps line numbers correct', async () => {
    const document = await readMarkdown('---\ntitle: MUST\n---\n\ntext\n', 'a.md', signal);
    expect(describeBlocks(document.blocks)).toEqual(['paragraph 5: text']);
    expect(document.notes[0]).toContain('lines 1 to 3');
  });

  it('cuts long sources into pieces, and handles links, lines, fences and tables that span pieces', async () => {
    const filler = 'Some words to fill a line of text, again and again.\n'.repeat(900);
    const rows = '| a | must be here |\n'.repeat(3_000);
    const source = `# One\n\n${filler}\n\`\`\`\n${filler}# no heading\n\`\`\`\n\n# Two\n\nSee [it][x].\n\n| A | B |\n| - | - |\n${rows}\n[x]: y.md\n\n# Three\n\nend\n`;
    const blocks = await read(source);
    const lines = source.split('\n');
    expect(blocks.filter((block) => block.kind === 'heading').map((block) => block.text)).toEqual([
      'One',
      'Two',
      'Three',
    ]);
    expect(blocks.find((block) => block.text.startsWith('See'))?.text).toBe('See it.');
    const found = blocks.filter((block) => block.kind === 'table-row');
    expect(found).toHaveLength(3_001);
    expect(
      found
        .slice(1)
        .every((row) => row.header?.[1] === 'B' && lines[(row.marks[0]?.[1] ?? 0) - 1] === '| a | must be here |'),
    ).toBe(true);
    expect(lines[(blocks.at(-1)?.marks[0]?.[1] ?? 0) - 1]).toBe('end');
  });

  it.each([
    ['quotes', '>'.repeat(400)],
    ['lists', Array.from({ length: 300 }, (_, i) => `${'  '.repeat(i)}- x`).join('\n')],
    ['brackets', '['.repeat(20_000)],
    ['emphasis', '*a _b '.repeat(5_000)],
  ])('rejects %s nested so deeply that the parser would hang', async (_, source) => {
    await expect(read(source)).rejects.toMatchObject({ code: 'document_too_deep' });
  });

  it('stops when the signal is aborted', async () => {
    await expect(readMarkdown('# a', 'a.md', AbortSignal.abort())).rejects.toMatchObject({
      code: 'aborted',
      retryable: true,
    });
  });
});
