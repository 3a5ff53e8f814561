import { describe, expect, it } from 'vitest';
import { makeCraneHandbook } from './fixtures/handbook.fixture.js';
import { makePdf, type PdfText } from './fixtures/pdf.fixture.js';
import { readPdf } from './read-pdf.js';
import { findPlaces } from '@phaseline/documents';

const signal = new AbortController().signal;
const read = async (pages: readonly (readonly PdfText[])[]): Promise<string[]> => {
  const { blocks } = await readPdf(makePdf(pages), 'a.pdf', signal);
  return blocks.map((block) => `${block.kind}: ${block.text}`);
};
const paragraph = (x: number, y: number, ...lines: string[]): PdfText[] =>
  lines.map((text, i) => ({ x, y: y + i * 12, text }));

describe('readPdf', () => {
  it('joins hyphenated words and sentences across pages, and removes running heads', async () => {
    const { blocks, notes, units } = await readPdf(makeCraneHandbook(), 'a.pdf', signal);
    const texts = blocks.map((block) => block.text);
    expect(units).toBe(3);
    expect(texts).toContain('the brakes, including the emergency brake;');
    expect(texts.join(' ')).toContain('The inspection has to be recorded');
    expect(texts.join(' ')).toContain('Two-part loads');
    expect(texts.join(' ')).not.toContain('3rd edition');
    expect(texts.join(' ')).not.toContain('of 3');
    expect(notes[0]).toContain('6 running headers');
    const split = blocks.find((block) => block.text.includes('released it'));
    expect(split && findPlaces(split, 0, 80)).toEqual({ from: 1, to: 2 });
    expect(split && findPlaces(split, split.text.indexOf('The release'))).toEqual({ from: 2, to: 2 });
  });

  it('removes running heads whose text changes with each chapter', async () => {
    const chapters = ['Pumps', 'Valves', 'Filters', 'Tanks'];
    const bodies = ['water', 'oil', 'air', 'steam', 'sand', 'salt', 'acid', 'wine'];
    const pages = bodies.map((body, i): PdfText[] => [
      { x: 50, y: 40, text: `Chapter ${(i >> 1) + 1}. ${chapters[i >> 1]}` },
      ...paragraph(50, 150, `This page tells of ${body} and of nothing else, and its`, 'text must be read as a whole.'),
      { x: 50, y: 800, text: `${i + 1} ${chapters[i >> 1]}` },
    ]);
    expect(await read(pages)).toEqual(
      bodies.map(
        (body) => `paragraph: This page tells of ${body} and of nothing else, and its text must be read as a whole.`,
      ),
    );
  });

  it('finds headings, items with their lead-in sentence, and table rows with wrapped cells', async () => {
    const { blocks } = await readPdf(makeCraneHandbook(), 'a.pdf', signal);
    expect(blocks.filter((block) => block.kind === 'heading').map((block) => block.text)).toEqual([
      '1 Before work',
      '2 Loads',
      '3 After work',
    ]);
    const item = blocks.find((block) => block.text === 'the limit switches.');
    expect(blocks[item?.leadIn ?? -1]?.text).toBe('The operator shall check the following parts:');
    expect(blocks.find((block) => block.text.startsWith('North'))).toMatchObject({
      kind: 'table-row',
      text: 'North | 4 t | The outriggers must be extended.',
      header: ['Crane', 'Limit', 'Condition'],
    });
  });

  it('never reads a bulleted item as a heading, regardless of its font', async () => {
    const lines = await read([
      [
        ...paragraph(
          50,
          60,
          'The text of the manual is set in ten points, and says what fields there are.',
          'They are:',
        ),
        { x: 60, y: 110, text: '· Source (mandatory)' },
        { x: 60, y: 140, text: '· Uploaders', size: 14, font: 'bold' },
        { x: 60, y: 170, text: '· Section (recommended)' },
        ...paragraph(50, 210, 'More text of the manual is set in ten points, and says what they mean.'),
      ],
    ]);
    expect(lines.filter((line) => line.startsWith('heading'))).toEqual([]);
    expect(lines).toContain('list-item: Uploaders');
  });

  it('keeps the hyphens of hyphenated compounds', async () => {
    const text = await read([
      paragraph(
        60,
        90,
        'An end-to-end test and an end-',
        'to-end proof of the client-',
        'Server link, for Hard- und',
        'Software alike, should do.',
      ),
    ]);
    expect(text).toEqual([
      'paragraph: An end-to-end test and an end-to-end proof of the client-Server link, for Hard- und Software alike, should do.',
    ]);
  });

  it('reads two columns of text one after another, not line by line', async () => {
    const words = Array.from({ length: 24 }, (_, i) => `left line number ${i} of the text`);
    const page = [
      ...paragraph(60, 90, ...words),
      ...paragraph(320, 90, ...words.map((line) => line.replace('left', 'right'))),
    ];
    const [only] = await read([page]);
    expect(only).toMatch(
      /^paragraph: left line number 0 of the text left line number 1 .* left line number 23 of the text right line number 0/,
    );
  });

  it('reads a protected file that opens without a password, and rejects one that requires a password', async () => {
    const page = paragraph(60, 90, 'Everyone must be able to read this.');
    expect((await readPdf(makePdf([page], { password: '' }), 'a.pdf', signal)).blocks[0]?.text).toBe(
      'Everyone must be able to read this.',
    );
    await expect(readPdf(makePdf([page], { password: 'secret' }), 'a.pdf', signal)).rejects.toMatchObject({
      code: 'document_encrypted',
    });
  });

  it('rejects scans and damaged files with different codes', async () => {
    await expect(readPdf(makePdf([[], []]), 'a.pdf', signal)).rejects.toMatchObject({ code: 'document_no_text' });
    const cut = makePdf([paragraph(60, 90, 'Text.')]).subarray(0, 200);
    await expect(readPdf(cut, 'a.pdf', signal)).rejects.toMatchObject({ code: 'document_malformed' });
  });

  it('does not modify its input', async () => {
    const bytes = Buffer.from(makeCraneHandbook());
    const before = Buffer.from(bytes);
    await readPdf(bytes, 'a.pdf', signal);
    expect(bytes.equals(before)).toBe(true);
  });

  it('stops between pages when the signal is aborted', async () => {
    await expect(readPdf(makeCraneHandbook(), 'a.pdf', AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
  });
});
