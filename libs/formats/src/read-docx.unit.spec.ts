import { describe, expect, it } from 'vitest';
import { makeDocxEntries, makeDocx } from './fixtures/docx.fixture.js';
import { makeLastenheft } from './fixtures/lastenheft.fixture.js';
import { makeZip } from './fixtures/zip.fixture.js';
import { MAX_INFLATED_BYTES } from './limits.js';
import { readDocx } from './read-docx.js';

const signal = new AbortController().signal;
const entries = makeDocxEntries([{ text: 'Text.' }]);
const makeWithDocument = (content: string, extra: object = {}): Uint8Array =>
  makeZip(entries.map((entry) => (entry.name === 'word/document.xml' ? { ...entry, content, ...extra } : entry)));
const readErrorCode = (bytes: Uint8Array): Promise<string> =>
  readDocx(bytes, 'a.docx', signal).then(
    () => 'accepted',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );

describe('readDocx', () => {
  it('reads headings, lists and tables, and counts paragraphs', async () => {
    const { blocks, units } = await readDocx(makeLastenheft(), 'a.docx', signal);
    expect(units).toBe(blocks.length);
    expect(blocks.find((block) => block.text === 'Auswertung je Monat')).toMatchObject({
      kind: 'list-item',
      level: 1,
      section: ['Lastenheft Zeiterfassung', 'Muss-Kriterien'],
    });
    expect(blocks.find((block) => block.text.startsWith('A1'))).toMatchObject({
      kind: 'table-row',
      header: ['Nr.', 'Anforderung', 'Verbindlichkeit'],
    });
    expect(blocks.map((block) => block.marks[0]?.[1])).toEqual(blocks.map((_, i) => i + 1));
  });

  it('reads nested lists and special characters', async () => {
    const { blocks } = await readDocx(
      makeDocx([{ text: 'Rules:' }, { item: 'a < b & c' }, { item: 'inner', depth: 1 }]),
      'a.docx',
      signal,
    );
    expect(blocks.map(({ text, level, leadIn }) => [text, level, leadIn])).toEqual([
      ['Rules:', undefined, undefined],
      ['a < b & c', 1, 0],
      ['inner', 2, 1],
    ]);
  });

  it('rejects an archive whose uncompressed size exceeds the limit, even if it declares a smaller size', async () => {
    expect(await readErrorCode(makeWithDocument(' '.repeat(MAX_INFLATED_BYTES + 1)))).toBe('document_too_large');
    expect(await readErrorCode(makeWithDocument(' '.repeat(MAX_INFLATED_BYTES + 1), { declaredSize: 100 }))).toBe(
      'document_too_large',
    );
  });

  it.each([
    [
      'XML nested a thousand deep',
      makeWithDocument(`<a>${'<w:tbl>'.repeat(1_000)}${'</w:tbl>'.repeat(1_000)}</a>`),
      'document_too_deep',
    ],
    [
      'XML that declares entities',
      makeWithDocument('<!DOCTYPE x [<!ENTITY a "b">]><w:document/>'),
      'document_malformed',
    ],
    ['an encrypted entry', makeWithDocument('<w:document/>', { encrypted: true }), 'document_encrypted'],
    ['an archive without a document', makeZip([{ name: 'xl/workbook.xml', content: '<x/>' }]), 'document_wrong_type'],
    ['a truncated archive', makeLastenheft().subarray(0, 900), 'document_malformed'],
    ['malformed XML', makeWithDocument('<w:document><w:body>'), 'document_malformed'],
  ])('rejects %s', async (_, bytes, expected) => {
    expect(await readErrorCode(bytes)).toBe(expected);
  });
});
