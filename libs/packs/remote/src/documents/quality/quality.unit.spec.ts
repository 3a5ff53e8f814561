import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  cite,
  QuoteIndex,
  UNIT_BY_FORMAT,
  findCandidates,
  type SourceDocument,
  type Candidate,
} from '@phaseline/documents';
import { segmentSentences } from '@phaseline/documents/testing';
import { readDocument } from '@phaseline/formats';
import { labelledSet } from './labelled-set.fixture.js';

const signal = new AbortController().signal;

async function findReported(
  name: string,
  bytes: Uint8Array,
): Promise<{ document: SourceDocument; candidates: Candidate[] }> {
  const document = await readDocument(name, bytes, signal);
  const { candidates } = await findCandidates(document.blocks, {
    unit: UNIT_BY_FORMAT[document.format],
    document: name,
    signal,
  });
  return { document, candidates: candidates.filter((candidate) => candidate.confidence >= 0.5) };
}

describe('requirements found in annotated documents', () => {
  it.each(labelledSet)('$name: finds all requirements and nothing else', async ({ name, bytes, requirements }) => {
    const { candidates } = await findReported(name, bytes);
    const missed = requirements.filter(
      ([modality, words]) =>
        !candidates.some((candidate) => candidate.modality === modality && candidate.quote.includes(words)),
    );
    const wrong = candidates.filter((candidate) => !requirements.some(([, words]) => candidate.quote.includes(words)));
    expect({ missed, wrong: wrong.map((candidate) => candidate.text) }).toEqual({ missed: [], wrong: [] });
  });

  it.each(labelledSet)('$name: every citation is verified', async ({ name, bytes }) => {
    const { document, candidates } = await findReported(name, bytes);
    const source = { path: name, sha256: '', index: new QuoteIndex(document) };
    for (const { quote, location } of candidates) {
      const place = Object.values(location)[0];
      expect(cite(source, { quote, place }).citation).toMatchObject(location);
    }
  });

  it('finds all sentences of the example document with key words in capitals, each with a verbatim citation', async () => {
    const bytes = readFileSync(new URL('../../../../../../agents/creator/example/archive-service.md', import.meta.url));
    const { document, candidates } = await findReported('archive-service.md', bytes);
    const lines = bytes.toString('utf8').split('\n');
    const source = { path: 'archive-service.md', sha256: '', index: new QuoteIndex(document) };
    for (const candidate of candidates) {
      const { citation } = cite(source, {
        quote: candidate.quote,
        place: candidate.location.lines,
        block: candidate.block,
      });
      const cited = lines.slice((citation.lines?.from ?? 1) - 1, citation.lines?.to).join(' ').replace(/\s+/g, ' '); // prettier-ignore
      expect(cited).toContain(citation.quote);
    }
    const sentences = document.blocks.flatMap((block, number) =>
      block.kind === 'heading' ||
      block.kind === 'code' ||
      block.section.some((title) => /Revision History|Conventions/.test(title))
        ? []
        : segmentSentences(block.text, block.code)
            .filter(({ from, to }) =>
              /\b(?:MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED|MAY|OPTIONAL)\b/.test(block.text.slice(from, to)),
            )
            .map((span) => ({ number, ...span, text: block.text.slice(span.from, span.to) })),
    );
    const found = (number: number, from: number, to: number): boolean =>
      candidates.some(
        (candidate) =>
          (candidate.block === number && candidate.from < to && from < candidate.to) ||
          candidate.context?.some((context) => context.block === number),
      );
    expect(sentences.length).toBeGreaterThan(120);
    expect(sentences.filter(({ number, from, to }) => !found(number, from, to)).map(({ text }) => text)).toEqual([]);
  });
});
