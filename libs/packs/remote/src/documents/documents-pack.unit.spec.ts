import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Citation } from '@phaseline/documents';
import { DocumentBench } from './document-bench.fixture.js';
import { makeCraneHandbook, makeLastenheft, makePdf } from '@phaseline/formats/testing';
import { documentsPack } from './documents-pack.js';

interface RequirementsFile {
  documents: { path: string; requirements: number }[];
  figures: { requirements: number; byModality: Record<string, number> };
  excluded: { id: string }[];
  unverified: { id: string }[];
  requirements: {
    id: string;
    text: string;
    modality: string;
    section: string[];
    citation: Citation;
    confidence: number;
    found: string;
  }[];
}

const spec =
  '# Gate\n\nThe gate must be closed at night. It may be\nopened by the guard.\n\nThe guard shall:\n\n- check each pass;\n- keep a list.\n';

describe('documentsPack', () => {
  let bench: DocumentBench;
  beforeEach(() => {
    bench = new DocumentBench();
  });

  async function extractDocument(path: string, content: string | Uint8Array): Promise<void> {
    bench.put(path, content);
    await bench.call('extract_document_text', { path });
  }

  it('offers tools whose input schemas are valid for a model', () => {
    expect(documentsPack.tools.map((tool) => tool.name)).toEqual([
      'extract_document_text',
      'chunk_document',
      'identify_requirement_candidates',
      'assess_gobd_relevance',
      'cite_document',
    ]);
    for (const tool of documentsPack.tools)
      expect(z.toJSONSchema(tool.input)).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it.each([
    ['documents/spec.md', spec],
    ['documents/spec.txt', spec.replace('# Gate', 'Gate\n====')],
    [
      'documents/spec.html',
      '<h1>Gate</h1><p>The gate must be closed at night.</p><p>The guard shall:</p><ul><li>check each pass;</li><li>keep a list.</li></ul>',
    ],
    ['documents/handbook.pdf', makeCraneHandbook()],
    ['documents/lastenheft.docx', makeLastenheft()],
  ])('turns %s into requirements with verified citations', async (path, content) => {
    bench.put(path, content);
    await bench.call('extract_document_text', { path });
    const folder = path.replace('documents/', 'work/');
    await bench.call('chunk_document', { path: `${folder}/blocks.jsonl`, maxTokens: 100 });
    await bench.call('identify_requirement_candidates', { path: `${folder}/blocks.jsonl` });
    const result = await bench.call('cite_document', { candidates: [`${folder}/candidates.json`] });
    const { requirements, unverified, documents } = await bench.readJson<RequirementsFile>('output/requirements.json');
    expect(requirements.length).toBeGreaterThanOrEqual(3);
    expect(unverified).toEqual([]);
    expect(documents).toMatchObject([{ path, requirements: requirements.length }]);
    expect(result).toContain(`Wrote ${requirements.length} requirements`);
    for (const { citation, text, confidence } of requirements) {
      expect(await bench.call('cite_document', { path, quote: citation.quote })).toContain(
        JSON.stringify(citation.quote),
      );
      expect(text).not.toBe('');
      expect(confidence).toBeGreaterThanOrEqual(0.5);
    }
  });

  it('finds the same candidates in the chunks as in the whole document', async () => {
    await extractDocument(
      'documents/spec.md',
      `${spec}\n${'# More\n\nWords that say nothing at all about duties.\n\n'.repeat(30)}# End\n\nAll must leave.\n`,
    );
    await bench.call('chunk_document', { path: 'work/spec.md/blocks.jsonl', maxTokens: 100 });
    await bench.call('identify_requirement_candidates', { path: 'work/spec.md' });
    const { chunks } = await bench.readJson<{ chunks: { file: string }[] }>('work/spec.md/chunks/manifest.json');
    const files: string[] = [];
    for (const { file } of chunks) {
      await bench.call('identify_requirement_candidates', { path: file });
      files.push(file.replace('/chunks/', '/candidates/').replace(/md$/, 'json'));
    }
    await bench.call('cite_document', { candidates: ['work/spec.md/candidates.json'], output: 'output/whole.json' });
    await bench.call('cite_document', { candidates: files, output: 'output/parts.json' });
    const ids = async (path: string): Promise<string[]> =>
      (await bench.readJson<RequirementsFile>(path)).requirements.map((requirement) => requirement.id);
    expect(chunks.length).toBeGreaterThan(3);
    expect(await ids('output/parts.json')).toEqual(await ids('output/whole.json'));
  });

  it('lets a reviewer exclude and include candidates, and add missed requirements', async () => {
    await extractDocument('documents/spec.md', spec);
    await bench.call('identify_requirement_candidates', { path: 'documents/spec.md' });
    const { candidates } = await bench.readJson<{ candidates: { id: string; quote: string; confidence: number }[] }>(
      'work/spec.md/candidates.json',
    );
    const permission = candidates.find((candidate) => candidate.quote.startsWith('It may'));
    await bench.call('cite_document', {
      candidates: ['work/spec.md/candidates.json'],
      exclude: [candidates[0]?.id],
      include: [permission?.id],
      additions: [
        {
          path: 'documents/spec.md',
          quote: 'closed at night',
          modality: 'obligation',
          text: 'The gate is closed at night.',
        },
      ],
    });
    const { requirements, excluded } = await bench.readJson<RequirementsFile>('output/requirements.json');
    expect(excluded).toMatchObject([{ id: candidates[0]?.id }]);
    expect(requirements.map((requirement) => [requirement.found, requirement.citation.lines?.from])).toEqual([
      ['sentence', 3],
      ['lead-in', 8],
      ['lead-in', 9],
      ['agent', 3],
    ]);
    expect(
      await bench.runForErrorCode('cite_document', {
        candidates: ['work/spec.md/candidates.json'],
        exclude: ['REQ-0000000000'],
      }),
    ).toBe('unknown_id');
    const addition = { path: 'documents/spec.md', quote: 'closed at noon', modality: 'obligation' };
    expect(
      await bench.runForErrorCode('cite_document', {
        candidates: ['work/spec.md/candidates.json'],
        additions: [addition],
      }),
    ).toBe('quote_not_found');
  });

  it('leaves out a candidate whose words were tampered with', async () => {
    await extractDocument('documents/spec.md', spec);
    await bench.call('identify_requirement_candidates', { path: 'work/spec.md/blocks.jsonl' });
    const file = await bench.readText('work/spec.md/candidates.json');
    bench.put('work/spec.md/candidates.json', file.replaceAll('The gate must be closed', 'The gate must be locked'));
    const content = await bench.call('cite_document', { candidates: ['work/spec.md/candidates.json'] });
    const { requirements, unverified } = await bench.readJson<RequirementsFile>('output/requirements.json');
    expect(unverified).toHaveLength(1);
    expect(requirements).toHaveLength(2);
    expect(content).toContain('The most similar passage is on line 3: "The gate must be closed at night."');
  });

  it('does not cite a document that changed after its extraction', async () => {
    await extractDocument('documents/spec.md', spec);
    await bench.call('identify_requirement_candidates', { path: 'work/spec.md/blocks.jsonl' });
    bench.put('documents/spec.md', `${spec}\nAll must leave.\n`);
    expect(await bench.runForErrorCode('cite_document', { candidates: ['work/spec.md/candidates.json'] })).toBe(
      'document_changed',
    );
  });

  it('checks several quotations at once, and reports the result of each', async () => {
    bench.put('documents/spec.md', spec);
    const content = await bench.call('cite_document', {
      path: 'documents/spec.md',
      quotes: [
        { quote: 'keep a list.' },
        { quote: 'keep a book.' },
        { quote: 'keep a list.', lines: { from: 1, to: 2 } },
      ],
    });
    expect(content).toMatch(
      /^1 of 3 .*\n1\. \{.*"lines":\{"from":9,"to":9\}.*\n2\. NOT FOUND \(quote_not_found\).*\n3\. NOT FOUND .*line 9/,
    );
    expect(
      await bench.runForErrorCode('cite_document', { path: 'documents/spec.md', quotes: [{ quote: 'keep a book.' }] }),
    ).toBe('quote_not_found');
  });

  it('writes the same bytes for the same document, so that a call can be repeated', async () => {
    await extractDocument('documents/handbook.pdf', makeCraneHandbook());
    const before = bench.workspace.tree;
    await bench.call('extract_document_text', { path: 'documents/handbook.pdf' });
    expect(bench.workspace.tree).toEqual(before);
  });

  it('deletes the chunks of an earlier, finer cut', async () => {
    await extractDocument('documents/spec.md', `${spec}\n`.repeat(20));
    await bench.call('chunk_document', { path: 'work/spec.md/blocks.jsonl', maxTokens: 100 });
    expect(Object.keys(bench.workspace.tree)).toContain('work/spec.md/chunks/004.md');
    await bench.call('chunk_document', { path: 'work/spec.md/blocks.jsonl', maxTokens: 16_000 });
    expect(Object.keys(bench.workspace.tree).filter((name) => name.includes('/chunks/'))).toEqual([
      'work/spec.md/chunks/001.md',
      'work/spec.md/chunks/manifest.json',
    ]);
  });

  it.each([
    ['a missing document', 'documents/none.md', undefined, 'document_missing'],
    ['an empty document', 'documents/a.md', '', 'document_empty'],
    ['only whitespace', 'documents/a.md', ' \n\n', 'document_empty'],
    ['only a comment', 'documents/a.md', '<!-- x -->', 'document_empty'],
    [
      'an encrypted PDF',
      'documents/a.pdf',
      makePdf([[{ x: 60, y: 90, text: 'Text.' }]], { password: 'x' }),
      'document_encrypted',
    ],
    ['binary data', 'documents/a.txt', Uint8Array.from({ length: 900 }, (_, i) => i % 5), 'document_binary'],
    ['a name that does not match the content', 'documents/a.pdf', 'text', 'document_wrong_type'],
    ['an unknown type', 'documents/a.csv', 'a;b', 'document_unsupported'],
    ['a single line of data', 'documents/a.txt', 'x'.repeat(100_001), 'document_malformed'],
    [
      'more text than the limit',
      'documents/a.md',
      'word word word word word word\n'.repeat(400_000),
      'document_too_large',
    ],
    ['a path outside the workspace', '../a.md', undefined, 'invalid_path'],
  ])('rejects %s with a specific code', async (_, path, content, code) => {
    if (content !== undefined) bench.put(path, content);
    expect(await bench.runForErrorCode('extract_document_text', { path })).toBe(code);
  });

  it('rejects a document of 200 MB without loading it', async () => {
    const tree = { 'documents/big.pdf': { hash: 'h', size: 200 * 1024 * 1024 } };
    const read = async (): Promise<never> => {
      throw new Error('was loaded');
    };
    Object.defineProperty(bench, 'workspace', { value: { tree, read, stage: () => undefined } });
    expect(await bench.runForErrorCode('extract_document_text', { path: 'documents/big.pdf' })).toBe(
      'document_too_large',
    );
    expect(await bench.runForErrorCode('cite_document', { path: 'documents/big.pdf', quote: 'x' })).toBe(
      'document_too_large',
    );
  });

  it('rejects files that were not written by the tools', async () => {
    bench.put('documents/spec.md', spec);
    expect(await bench.runForErrorCode('chunk_document', { path: 'documents/spec.md' })).toBe('extraction_missing');
    bench.put('work/spec.md/blocks.jsonl', '{"schema":"other"}\n');
    expect(await bench.runForErrorCode('identify_requirement_candidates', { path: 'work/spec.md' })).toBe(
      'extraction_malformed',
    );
    bench.put('work/c.json', '{"schema":');
    expect(await bench.runForErrorCode('cite_document', { candidates: ['work/c.json'] })).toBe('candidates_malformed');
    expect(await bench.runForErrorCode('cite_document', { candidates: ['work/none.json'] })).toBe('document_missing');
  });

  it('rejects inputs that mix the forms of a tool, and outputs that would overwrite documents', () => {
    const [extract, , , , citeTool] = documentsPack.tools;
    const accepts = (tool: (typeof documentsPack.tools)[number] | undefined, value: unknown): boolean =>
      tool?.input.safeParse(value).success ?? false;
    expect(accepts(citeTool, { path: 'a.md' })).toBe(false);
    expect(accepts(citeTool, { quote: 'x' })).toBe(false);
    expect(accepts(citeTool, { path: 'a.md', quote: 'x', candidates: ['c'] })).toBe(false);
    expect(accepts(extract, { path: 'a.md', output: 'documents' })).toBe(false);
    expect(accepts(extract, { path: 'a.md', file: 'b.md' })).toBe(false);
  });

  it('stops when the call is cancelled', async () => {
    bench.put('documents/spec.md', spec);
    bench.signal = AbortSignal.abort();
    expect(await bench.runForErrorCode('extract_document_text', { path: 'documents/spec.md' })).toBe('aborted');
  });
});
