import { describe, expect, it } from 'vitest';
import { LineSources, type SourceOfLine } from './line-sources.js';

const lookup = {
  sources: new Map([
    [1, { number: 1, file: 'sources/1.md', url: 'https://one.example/' }],
    [2, { number: 2, file: 'sources/2.md', url: 'https://two.example/' }],
  ]),
  hasFile: (path: string) => ['documents/spec.pdf', 'sources/1.md', 'documents/a.b'].includes(path),
};

function find(path: string, text: string, line: number): readonly SourceOfLine[] {
  return new LineSources(path, text, text.split('\n'), lookup).find(line, line);
}

const citation = { document: 'documents/spec.pdf', pages: { from: 3, to: 3 }, quote: 'must be kept' };

describe('in a JSON file', () => {
  const text = JSON.stringify(
    { requirements: [{ id: 'REQ-1', citation, context: [{ ...citation, quote: 'for ten years' }] }, { id: 'REQ-2' }] },
    undefined,
    2,
  );
  const lineOf = (part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;

  it('a line cites what the innermost object around it cites', () => {
    const cited = { kind: 'citation', ...citation };
    expect(find('a.json', text, lineOf('REQ-1'))).toEqual([cited]);
    expect(find('a.json', text, lineOf('must be kept'))).toEqual([cited]);
    expect(find('a.json', text, lineOf('for ten years'))).toEqual([{ ...cited, quote: 'for ten years' }]);
    expect(find('a.json', text, lineOf('REQ-2'))).toEqual([]);
    expect(find('a.json', text, 1)).toEqual([]);
    expect(find('a.md', text, lineOf('REQ-1'))).toEqual([]);
  });

  it('a citation of a web page has its address, and a broken file cites what can be read', () => {
    const web = `[\n{ "source": 2, "url": "https://two.example/", "lines": { "from": 1, "to": 2 }, "quote": "q" },\n{ "x": `;
    const expected = { kind: 'citation', document: 'https://two.example/', lines: { from: 1, to: 2 }, quote: 'q' };
    expect(find('a.json', web, 2)).toEqual([expected]);
    expect(find('a.json', '{"citation": {"document": 1, "quote": 2}}', 1)).toEqual([]);
    expect(find('a.json', '{"citation": {"document": "d", "quote": "q", "lines": {"from": "x"}}}', 1)).toEqual([
      { kind: 'citation', document: 'd', quote: 'q' },
    ]);
  });
});

it('a file that is nested too deeply for the parser cites only what its lines name', () => {
  const text = `${'['.repeat(1_000_000)}\ndocuments/spec.pdf`;
  expect(find('a.json', text, 2)).toEqual([{ kind: 'file', path: 'documents/spec.pdf' }]);
});

describe('in a text', () => {
  const source = (number: 1 | 2) => {
    const { file, url } = lookup.sources.get(number)!;
    return { kind: 'source', number, path: file, url };
  };

  it('a number in brackets is a reference to a stored source, unless it is a link or an index', () => {
    expect(find('a.md', 'Kept for ten years [1], or longer [1, 2].', 1)).toEqual([source(1), source(2)]);
    for (const other of ['[2](https://x.example/)', 'list[1]', '[7]', 'f()[1]', 'a[0][1]', '[1x]'])
      expect(find('a.md', other, 1), other).toEqual([]);
  });

  it('the path of a document or source that exists is a source', () => {
    const file = (path: string) => ({ kind: 'file', path });
    expect(find('a.md', 'See documents/spec.pdf.', 1)).toEqual([file('documents/spec.pdf')]);
    expect(find('a.md', '(documents/a.b, `sources/1.md`) and documents/none.md', 1)).toEqual([
      file('documents/a.b'),
      file('sources/1.md'),
    ]);
    expect(find('a.md', 'mydocuments/spec.pdf', 1)).toEqual([]);
  });
});
