import { readFileSync } from 'node:fs';
import { documentsPack } from '@phaseline/remote-packs';
import { type RemoteTool } from '@phaseline/tools';
import { StagedWorkspace } from '@phaseline/workspace';
import { describe, expect, it } from 'vitest';
import { judgeLabels, type CandidatesRead, type LabelOutcome } from './judge-labels.js';

/** A labelled sentence of a public document, with its outcome when the whole document was read. */
interface Sample {
  readonly document: string;
  readonly set: number;
  readonly label: string;
  readonly kind: 'sentence' | 'item';
  readonly text: string;
  readonly outcome: LabelOutcome;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as T;
const samples = read<readonly Sample[]>('./sample.json');
const sets = ['./labels.json', './labels-2.json'].map((file) => read<Record<string, readonly string[]>>(file));

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const renderHtml = (entries: readonly Sample[]): string =>
  `<h1>Manual</h1>${entries.map(({ kind, text }) => (kind === 'item' ? `<ul><li>${escapeHtml(text)}</li></ul>` : `<p>${escapeHtml(text)}</p>`)).join('')}`;
const renderText = (entries: readonly Sample[]): string =>
  `Manual\n======\n\n${entries.map(({ kind, text }) => `${kind === 'item' ? '- ' : ''}${text}\n\n`).join('')}`;

/** Runs the document tools like the tool-runner and returns the candidates that they write. */
async function extractCandidates(file: string, content: string): Promise<CandidatesRead> {
  const path = `documents/${file}`;
  const folder = `work/${file}`;
  const workspace = new StagedWorkspace({}, { get: async () => undefined });
  workspace.stage([{ path, content: Buffer.from(content) }], new Date(0));
  const signal = new AbortController().signal;
  const run = async (name: string, args: Record<string, unknown>): Promise<void> => {
    const tool = documentsPack.tools.find((one): one is RemoteTool => one.name === name && one.lane === 'remote');
    if (!tool) throw new Error(`there is no tool ${name}`);
    const context = { jobId: 'job', callId: 'call', attempt: 1, signal, workspace };
    workspace.stage((await tool.run(context, tool.input.parse(args))).files ?? [], new Date(0));
  };
  await run('extract_document_text', { path });
  await run('identify_requirement_candidates', { path: `${folder}/blocks.jsonl` });
  const bytes = await workspace.read(`${folder}/candidates.json`);
  if (!bytes) throw new Error('no candidates were written');
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as CandidatesRead;
}

const rank: Readonly<Record<LabelOutcome, number>> = { candidate: 0, doubtful: 1, omitted: 2, lost: 3 };

describe('labelled obligations of public documents', () => {
  const names = [...new Set(samples.map(({ document }) => document))];

  it.each(names.flatMap((name) => [[name, 'html'] as const, [name, 'txt'] as const]))(
    '%s: each sentence of the sample has at least the outcome of the whole document, from %s',
    async (name, format) => {
      const entries = samples.filter(({ document }) => document === name);
      const found = await extractCandidates(
        `manual.${format}`,
        format === 'html' ? renderHtml(entries) : renderText(entries),
      );
      const judged = judgeLabels(
        entries.map(({ label }) => label),
        found,
      );
      expect(judged.filter(({ outcome }, i) => rank[outcome] > rank[entries[i]?.outcome ?? 'lost'])).toEqual([]);
    },
  );

  it('comprise 30 labels for each of 10 documents per set, with 6 of them in the sample', () => {
    for (const set of sets) {
      expect(Object.keys(set)).toHaveLength(10);
      for (const labels of Object.values(set)) expect(new Set(labels).size).toBe(30);
    }
    expect(samples).toHaveLength(120);
    for (const { document, set, label } of samples) expect(sets[set - 1]?.[document]).toContain(label);
    expect(samples.filter(({ outcome }) => outcome === 'lost')).toEqual([]);
  });
});

describe('judgeLabels', () => {
  const found: CandidatesRead = {
    minConfidence: 0.5,
    candidates: [
      { quote: 'The door must be\n  closed.', text: 'The door must be closed.', confidence: 0.9 },
      { quote: 'Close it.', text: 'Close it.', confidence: 0.4 },
      {
        quote: 'the window;',
        text: 'You must close: the window;',
        confidence: 0.8,
        context: [{ quote: 'You must close:' }],
      },
    ],
    omitted: [{ quote: 'It was said that the gate must be closed.' }],
  };

  it.each([
    ['must be closed', 'candidate'],
    ['Close it', 'doubtful'],
    ['You must close', 'candidate'],
    ['the gate must', 'omitted'],
    ['the roof must', 'lost'],
  ])('%s: %s', (label, outcome) => {
    expect(judgeLabels([label], found)).toEqual([{ label, outcome }]);
  });
});
