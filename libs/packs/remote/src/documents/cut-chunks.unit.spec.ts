import { describe, expect, it } from 'vitest';
import { readMarkdown } from '@phaseline/formats/testing';
import { cutChunks, type Block } from '@phaseline/documents';
import { estimateTokens } from '@phaseline/documents/testing';

const read = async (source: string): Promise<readonly Block[]> =>
  (await readMarkdown(source, 'a.md', new AbortController().signal)).blocks;
const sentence = (i: number): string => `This is sentence number ${i} of a rather long paragraph, and it ends here.`;
const paragraph = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => sentence(from + i)).join(' ');

describe('cutChunks', () => {
  it('cuts between sections and respects the maximum size', async () => {
    const blocks = await read(
      Array.from({ length: 12 }, (_, i) => `## Section ${i}\n\n${paragraph(i * 10, 5)}\n`).join('\n'),
    );
    const chunks = cutChunks(blocks, { maxTokens: 250, overlap: 0 });
    expect(chunks.length).toBeGreaterThan(4);
    expect(chunks.every((chunk) => blocks[chunk.from]?.kind === 'heading' && estimateTokens(chunk.text) <= 250)).toBe(
      true,
    );
  });

  it('covers every block once and in order', async () => {
    const blocks = await read(
      `# A\n\n${paragraph(0, 60)}\n\n- one\n- two\n\n| a | b |\n|-|-|\n| c | d |\n\n# B\n\n${paragraph(100, 30)}\n`,
    );
    const chunks = cutChunks(blocks, { maxTokens: 200, overlap: 0 });
    const text = chunks.map((chunk) => chunk.text.replace(/^[#|>\s-]+|\s*\|$/gm, '')).join(' ').replace(/\s+/g, ' '); // prettier-ignore
    let at = 0;
    for (const block of blocks) {
      const found = text.indexOf(block.text.slice(0, 40), at);
      expect(found).toBeGreaterThanOrEqual(at);
      at = found;
    }
    chunks.slice(1).forEach((chunk, i) => {
      const before = chunks[i];
      expect(
        chunk.from === before?.to ||
          (chunk.from === (before?.to ?? 0) - 1 && chunk.fromOffset >= (before?.toOffset ?? 0)),
      ).toBe(true);
    });
  });

  it('cuts a long paragraph only between sentences', async () => {
    const blocks = await read(paragraph(0, 80));
    const chunks = cutChunks(blocks, { maxTokens: 120, overlap: 0 });
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.every((chunk) => chunk.text.startsWith('This is') && chunk.text.endsWith('ends here.'))).toBe(true);
  });

  it('never cuts a table row, and ends no chunk with a heading or a lead-in sentence', async () => {
    const row = `| ${'word '.repeat(120)} | x |`;
    const blocks = await read(
      `${paragraph(0, 6)}\n\n# Next\n\nThe rules:\n\n- ${paragraph(20, 5)}\n\n| a | b |\n|-|-|\n${row}\n${row}\n`,
    );
    const chunks = cutChunks(blocks, { maxTokens: 150, overlap: 0 });
    for (const chunk of chunks) {
      expect(chunk.text.split('\n').every((line) => !line.startsWith('|') || line.endsWith('|'))).toBe(true);
      expect(chunk.text.trimEnd()).not.toMatch(/(?:# Next|rules:)$/);
    }
  });

  it('repeats whole sentences of the previous chunk', async () => {
    const [, second] = cutChunks(await read(paragraph(0, 80)), { maxTokens: 120, overlap: 40 });
    expect(second?.overlap).toMatch(/^This is sentence .* ends here\.$/);
    expect(estimateTokens(second?.overlap ?? '')).toBeLessThanOrEqual(40);
  });
});
