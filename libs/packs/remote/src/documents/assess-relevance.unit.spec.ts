import { describe, expect, it } from 'vitest';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';
import { documentsPack } from './documents-pack.js';

const requirements = (...texts: string[]): string =>
  JSON.stringify({
    requirements: texts.map((text, i) => ({
      id: `REQ-000000000${i}`,
      text,
      citation: { document: 'documents/spec.md', lines: { from: i + 1, to: i + 1 }, quote: text },
    })),
  });

const own = {
  name: 'harbour',
  title: 'Harbour rules',
  description: 'Rules of one harbour.',
  topics: [{ id: 'cranes', title: 'Cranes', terms: [{ term: 'crane*', weight: 0.9 }] }],
};

describe('assess_gobd_relevance', () => {
  it('reports the terms that the assessment rests on, with their places', async () => {
    const bench = new RemoteToolBench(documentsPack);
    const text = 'Buchungsbelege sind unveränderbar und zehn Jahre aufzubewahren.';
    const found = await bench.call('assess_gobd_relevance', { text });
    expect(found).toContain('gobd: relevant, confidence 0.98');
    expect(found).toContain("'Buchungsbelege' at characters 0 to 14: records");
    for (const [, words, from, to] of found.matchAll(/'(.+)' at characters (\d+) to (\d+)/g))
      expect(text.slice(Number(from), Number(to))).toBe(words);
  });

  it.each([
    ['The server responds within two seconds.'],
    // Parts of other words are not terms: 'PIIGDPRX', 'Alteration' of a word that only begins like one.
    ['The XGoBDY module and the ungdpr flag are reserved.'],
    [''.padEnd(50, ' x')],
  ])('says that a text without a term is not relevant: %s', async (text) => {
    const bench = new RemoteToolBench(documentsPack);
    expect(await bench.call('assess_gobd_relevance', { text })).toBe('No terms of gdpr, gobd that show relevance.');
    bench.put('output/requirements.json', requirements(text));
    expect(await bench.call('assess_gobd_relevance', { path: 'output/requirements.json' })).toContain(
      '0 contain terms of the vocabularies',
    );
    expect(JSON.parse(await bench.readText('work/relevance.json'))).toMatchObject({ texts: 1, relevant: [] });
  });

  it('assesses the requirements of a file, each with the place of its citation', async () => {
    const bench = new RemoteToolBench(documentsPack);
    bench.put(
      'output/requirements.json',
      requirements(
        'The system must keep an audit trail of each invoice.',
        'The button must be blue.',
        'Personal data must be encrypted.',
      ),
    );
    const content = await bench.call('assess_gobd_relevance', { path: 'output/requirements.json' });
    expect(content).toContain('Assessed 3 texts of output/requirements.json; 2 contain terms');
    expect(content).toMatch(/- GDPR \(gdpr\): 1 of 3 relevant, 0 possibly\. Personal data 1, Security of processing 1/);
    const { relevant } = JSON.parse(await bench.readText('work/relevance.json')) as {
      relevant: { id: string; location: object; relevance: { vocabulary: string; terms: { words: string }[] }[] }[];
    };
    expect(relevant.map(({ id }) => id)).toEqual(['REQ-0000000000', 'REQ-0000000002']);
    expect(relevant[0]).toMatchObject({
      location: { lines: { from: 1, to: 1 } },
      relevance: [{ vocabulary: 'gobd', terms: [{ words: 'audit trail' }, { words: 'invoice' }] }],
    });
    for (const { relevance } of relevant) for (const { terms } of relevance) expect(terms).not.toEqual([]);
    expect(await bench.readText('work/relevance.md')).toMatch(/^# Relevance\n\n- GDPR/);
  });

  it('assesses the blocks of an extraction', async () => {
    const bench = new RemoteToolBench(documentsPack);
    bench.put('documents/a.md', '# Rules\n\nEvery receipt is kept.\n\nConsent of the data subject is recorded.\n');
    await bench.call('extract_document_text', { path: 'documents/a.md' });
    expect(await bench.call('assess_gobd_relevance', { path: 'work/a.md/blocks.jsonl' })).toMatch(
      /- \[line 5\] gdpr relevant \(0\.\d\d, Consent, data subject\)/,
    );
  });

  it('uses vocabularies of the agent, which replace shipped ones with the same name', async () => {
    const bench = new RemoteToolBench(documentsPack);
    bench.put('vocabularies/harbour.json', JSON.stringify(own));
    const text = 'Cranes process personal data.';
    const found = await bench.call('assess_gobd_relevance', { text });
    expect(found).toContain('harbour: relevant');
    expect(found).toContain('gdpr: relevant');
    bench.put('vocabularies/gdpr.json', JSON.stringify({ ...own, name: 'gdpr' }));
    expect(await bench.call('assess_gobd_relevance', { text: 'Personal data.' })).not.toContain('relevant,');
  });

  it('lets the model choose among the vocabularies of the agent only', async () => {
    const bench = new RemoteToolBench(documentsPack, { documents: { vocabularies: ['gobd'] } });
    expect(await bench.call('assess_gobd_relevance', { text: 'Personal data.' })).toBe(
      'No terms of gobd that show relevance.',
    );
    for (const name of ['gdpr', 'toString'])
      expect(await bench.runForError('assess_gobd_relevance', { text: 'Personal data.', vocabularies: [name] })).toBe(
        `unknown_vocabulary: There is no vocabulary '${name}' for this agent. It may use: gobd.`,
      );
  });

  it.each([
    ['{', 'vocabulary_invalid'],
    [
      JSON.stringify({ ...own, topics: [{ id: 'a', title: 'A', terms: [{ term: '(a+)+$', weight: 1 }] }] }),
      'vocabulary_invalid',
    ],
  ])('refuses the vocabulary %s', async (content, code) => {
    const bench = new RemoteToolBench(documentsPack);
    bench.put('vocabularies/harbour.json', content);
    expect(await bench.runForError('assess_gobd_relevance', { text: 'x' })).toMatch(
      new RegExp(`^${code}: 'vocabularies/harbour.json' .*Leave this vocabulary out\\.$`),
    );
  });

  it('refuses a file without requirements', async () => {
    const bench = new RemoteToolBench(documentsPack);
    bench.put('work/a.json', '{"requirements":[{"id":7}]}');
    expect(await bench.runForError('assess_gobd_relevance', { path: 'work/a.json' })).toMatch(
      /^not_requirements: 'work\/a\.json' is not a requirements file: requirements\.0\.id/,
    );
    expect(await bench.runForError('assess_gobd_relevance', { path: 'work/b.json' })).toMatch(/^document_missing: /);
  });
});
