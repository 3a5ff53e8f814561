import { describe, expect, it } from 'vitest';
import { makeCraneHandbook } from '@phaseline/formats/testing';
import { readDocument } from '@phaseline/formats';
import { cite, QuoteIndex, type CitationResult, type CitedSource } from '@phaseline/documents';

const signal = new AbortController().signal;

async function openSource(path: string, content: string | Uint8Array): Promise<CitedSource> {
  const document = await readDocument(path, typeof content === 'string' ? Buffer.from(content) : content, signal);
  return { path, sha256: '', index: new QuoteIndex(document) };
}

function expectNotFound(run: () => CitationResult): string {
  try {
    run();
  } catch (error) {
    expect((error as { code: string }).code).toBe('quote_not_found');
    return (error as Error).message;
  }
  throw new Error('was accepted');
}

const markdown = `# Rules

All clients MUST support the [JSON format](json.md), and
**should** log \`each_id\` & more. It may take “a while”.

> Quoted words
> MUST be found.

- Clients MUST stop.

| Name | Rule |
| --- | --- |
| \`id\` | MUST be *unique* |

Clients MUST stop.
`;

describe('cite', () => {
  it('returns the exact words of a Markdown source, markup included, and their lines', async () => {
    const rules = await openSource('a.md', markdown);
    const quote = 'All clients MUST support the JSON format, and should log `each_id` & more.';
    expect(cite(rules, { quote }).citation).toEqual({
      document: 'a.md',
      lines: { from: 3, to: 4 },
      quote: 'All clients MUST support the [JSON format](json.md), and **should** log `each_id` & more.',
    });
    expect(cite(rules, { quote: 'Quoted words MUST be found.' }).citation).toMatchObject({
      lines: { from: 6, to: 7 },
      quote: 'Quoted words MUST be found.',
    });
  });

  it('ignores layout, typography and markup, but requires every word', async () => {
    const rules = await openSource('a.md', markdown);
    for (const quote of [
      'It may take "a while".',
      'support the [JSON format](json.md), and\n**should** log',
      '- Clients MUST stop.',
      'id | MUST be unique',
      '> Quoted words\n> MUST be found.',
    ]) {
      expect(cite(rules, { quote }).citation.document).toBe('a.md');
    }
    for (const quote of [
      'All clients must support the JSON format',
      'All clients MUST log each_id',
      'clients MUST support JSON format',
      'It may take a while',
      'All client MUST support',
      'lients MUST stop',
      'each id',
    ]) {
      expectNotFound(() => cite(rules, { quote }));
    }
  });

  it('looks only at the claimed location, and names the actual one', async () => {
    const rules = await openSource('a.md', markdown);
    const { citation, others } = cite(rules, { quote: 'Clients MUST stop.', place: { from: 15, to: 15 } });
    expect(citation.lines).toEqual({ from: 15, to: 15 });
    expect(others).toEqual([{ lines: { from: 9, to: 9 } }]);
    expect(expectNotFound(() => cite(rules, { quote: 'Clients MUST stop.', place: { from: 1, to: 3 } }))).toContain(
      'line 9, line 15',
    );
  });

  it('names the nearest match when the words do not occur', async () => {
    const rules = await openSource('a.md', markdown);
    expect(expectNotFound(() => cite(rules, { quote: 'All clients have to support the JSON format' }))).toContain(
      'lines 3–4: "All clients MUST support',
    );
    expect(expectNotFound(() => cite(rules, { quote: 'Zebras graze quietly' }))).toContain(
      'The document contains nothing similar',
    );
  });

  it('finds words that a PDF hyphenates or splits over two pages', async () => {
    const handbook = await openSource('a.pdf', makeCraneHandbook());
    expect(cite(handbook, { quote: 'The in-\nspection has to be recorded' }).citation).toMatchObject({
      pages: { from: 1, to: 1 },
      quote: 'The inspection has to be recorded',
    });
    expect(
      cite(handbook, { quote: 'moved after an engineer has released it.', place: { from: 2, to: 2 } }).citation.pages,
    ).toEqual({ from: 1, to: 2 });
    expect(
      expectNotFound(() => cite(handbook, { quote: 'Persons must never be lifted', place: { from: 3, to: 3 } })),
    ).toContain('page 2');
  });

  it('cites words that span two consecutive blocks', async () => {
    const list = await openSource('a.md', 'The operator shall:\n\n- keep a log\n');
    expect(cite(list, { quote: 'The operator shall: keep a log' }).citation).toMatchObject({
      lines: { from: 1, to: 3 },
      quote: 'The operator shall: keep a log',
    });
  });
});
