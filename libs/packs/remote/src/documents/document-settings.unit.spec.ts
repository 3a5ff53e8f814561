import { expect, it } from 'vitest';
import { documentsSpec } from '@phaseline/pack-specs';
import { ToolRegistry } from '@phaseline/tools';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';
import { documentsPack } from './documents-pack.js';

const spec = `# Gate\n\n${Array.from({ length: 60 }, (_, i) => `Gate ${i} must be closed at night. It may be opened by guard ${i}.`).join('\n\n')}\n`;

async function openBench(documents: object): Promise<RemoteToolBench> {
  const bench = new RemoteToolBench(documentsPack, { documents });
  bench.put('documents/a.md', spec);
  await bench.call('extract_document_text', { path: 'documents/a.md' });
  return bench;
}

const path = 'work/a.md/blocks.jsonl';

it('an argument cannot make chunks larger, or overlap more, than the agent allows', async () => {
  const bench = await openBench({ chunkTokens: 200, overlapTokens: 20 });
  const widened = await bench.call('chunk_document', { path, maxTokens: 4_000, overlap: 500 });
  expect(widened).toContain('chunks of at most 200 tokens');
  expect(widened).toContain('Used maxTokens 200 instead of 4000: this agent allows at most 200.');
  const manifest = JSON.parse(await bench.readText('work/a.md/chunks/manifest.json')) as object;
  expect(manifest).toMatchObject({ maxTokens: 200, overlap: 20 });
  expect(await bench.call('chunk_document', { path, maxTokens: 100, overlap: 5 })).toContain('at most 100 tokens');
  expect(await bench.call('chunk_document', { path })).toContain('at most 200 tokens');
});

it('an argument cannot accept candidates below the confidence of the agent', async () => {
  const bench = await openBench({ minConfidence: 0.99 });
  const found = await bench.call('identify_requirement_candidates', { path, minConfidence: 0 });
  expect(found).toContain('Used minConfidence 0.99 instead of 0: this agent allows at least 0.99.');
  expect(found).toContain('Found 0 candidates');
  const cited = await bench.call('cite_document', { candidates: ['work/a.md/candidates.json'], minConfidence: 0 });
  expect(cited).toContain('Wrote 0 requirements');
});

it('the descriptions name the values of the agent', () => {
  const tools = new ToolRegistry([documentsSpec]);
  const describeTool = (name: string, documents: object) =>
    tools.findAdjusted(name, { documents })!.definition.description;
  expect(describeTool('chunk_document', { chunkTokens: 200 })).toMatch(
    /maxTokens is 200 for this agent; an argument may only be lower\. Default of overlap: 60\.$/,
  );
  expect(describeTool('identify_requirement_candidates', { minConfidence: 0.7 })).toMatch(/minConfidence is 0\.7/);
  expect(describeTool('assess_gobd_relevance', { vocabularies: ['gobd'] })).toMatch(/Vocabularies: gobd\.$/);
});
