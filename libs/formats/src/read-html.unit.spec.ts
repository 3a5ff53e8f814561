import { describe, expect, it } from 'vitest';
import { readHtml } from './read-html.js';
import type { SourceBlock } from '@phaseline/documents';

const signal = new AbortController().signal;
const read = async (source: string): Promise<readonly SourceBlock[]> =>
  (await readHtml(source, 'a.html', signal)).blocks;

describe('readHtml', () => {
  it('ignores scripts, styles, navigation, hidden text, comments and the page footer', async () => {
    const blocks = await read(
      '<html><head><title>must</title><style>must</style></head><body><nav>must</nav><!-- must --><script>must</script><p hidden>must</p><p>kept &amp; read</p><footer>must</footer></body></html>',
    );
    expect(blocks.map((block) => block.text)).toEqual(['kept & read']);
  });

  it('counts lines through text, tags and inline elements', async () => {
    const blocks = await read('<h1>A</h1>\n<p>one\ntwo <b>three</b>\nfour</p>');
    expect(blocks[1]).toMatchObject({ text: 'one two three four', marks: [[0, 2], [4, 3], [14, 4]], section: ['A'] }); // prettier-ignore
  });

  it('reads items with paragraphs and lists inside', async () => {
    const blocks = await read(
      '<p>The rules:</p><ul><li><p>first</p><p>more</p><ul><li>inner</li></ul></li><li>second</li></ul>',
    );
    expect(blocks.map(({ kind, text, leadIn, level }) => [kind, text, leadIn, level])).toEqual([
      ['paragraph', 'The rules:', undefined, undefined],
      ['list-item', 'first', 0, 1],
      ['paragraph', 'more', 1, undefined],
      ['list-item', 'inner', 1, 2],
      ['list-item', 'second', 0, 1],
    ]);
  });

  it('uses the term of a definition as its lead-in', async () => {
    const blocks = await read('<dl><div><dt>id</dt><dd>MUST be set</dd></div></dl>');
    expect(blocks[1]).toMatchObject({ kind: 'list-item', text: 'MUST be set', leadIn: 0 });
  });

  it('reads data tables row by row, and layout tables as blocks', async () => {
    const data = await read(
      '<table><thead><tr><th>A</th><th>B</th></tr></thead><tr><td>1</td><td><p>x</p><p>y</p></td></tr></table>',
    );
    expect(data[1]).toMatchObject({ kind: 'table-row', text: '1 | x y', header: ['A', 'B'] });
    const layout = await read('<table><tr><td><h2>Title</h2><p>text</p></td></tr></table>');
    expect(layout.map((block) => block.kind)).toEqual(['heading', 'paragraph']);
  });

  it('marks code, and reads a page of preformatted text as plain text', async () => {
    const [block] = await read('<p>The <code>MUST</code> flag</p>');
    expect(block?.code).toEqual([[4, 8]]);
    const page = await read(
      `<html><body><pre>\n1. Scope\n\n${'The <b>client</b> MUST answer.\n\n'.repeat(150)}</pre></body></html>`,
    );
    expect(page[0]).toMatchObject({ kind: 'heading', text: '1. Scope' });
    expect(page[1]).toMatchObject({ kind: 'paragraph', text: 'The client MUST answer.', marks: [[0, 4]] });
  });

  it('rejects elements nested so deeply that the stack would overflow', async () => {
    await expect(read('<div>'.repeat(50_000))).rejects.toMatchObject({ code: 'document_too_deep' });
  });
});
