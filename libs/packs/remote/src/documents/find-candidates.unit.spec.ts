import { describe, expect, it } from 'vitest';
import { readMarkdown } from '@phaseline/formats/testing';
import { findCandidates, type Candidate } from '@phaseline/documents';

const signal = new AbortController().signal;

async function find(source: string): Promise<Candidate[]> {
  const { blocks } = await readMarkdown(source, 'a.md', signal);
  const { candidates } = await findCandidates(blocks, { unit: 'line', document: 'a.md', signal });
  return candidates.filter((candidate) => candidate.confidence >= 0.5);
}

const findTexts = async (source: string): Promise<string[]> => (await find(source)).map((candidate) => candidate.text);

describe('findCandidates', () => {
  it('passes the obligation of a lead-in sentence on to its items, and keeps both quotations', async () => {
    const [first, second] = await find('# Log\n\nThe operator shall:\n\n- keep a log;\n- check it.\n');
    expect(first).toMatchObject({
      text: 'The operator shall: keep a log;',
      quote: 'keep a log;',
      modality: 'obligation',
      found: 'lead-in',
      location: { lines: { from: 5, to: 5 } },
    });
    expect(first?.context).toEqual([{ quote: 'The operator shall:', block: 1, from: 0, to: 19 }]);
    expect(second?.quote).toBe('check it.');
  });

  it('reports a lead-in sentence that is a requirement by itself along with its items', async () => {
    expect(await findTexts('The log shall contain the following fields:\n\n- time\n- user\n')).toEqual([
      'The log shall contain the following fields:',
      'The log shall contain the following fields: time',
      'The log shall contain the following fields: user',
    ]);
  });

  it('adds choices and conditions to the sentence instead of reporting them as obligations', async () => {
    expect(await findTexts('The client must use one of the following:\n\n- A\n- B\n')).toEqual([
      'The client must use one of the following: A; B',
    ]);
    expect(await findTexts('The client must stop where:\n\n- it is told to, or\n- it fails.\n')).toEqual([
      'The client must stop where: it is told to; it fails',
    ]);
  });

  it('reports items with their own obligation, and adds the subject if it is missing', async () => {
    const source = '# id\n\n- Constraints:\n  - REQUIRED\n  - MUST be unique\n  - Producers MUST check it.\n';
    expect(await findTexts(source)).toEqual([
      'id – Constraints: REQUIRED',
      'id – Constraints: MUST be unique',
      'Producers MUST check it.',
    ]);
  });

  it('completes a German sentence with the infinitive of each item', async () => {
    const found = await find(
      'Der Betreiber hat\n\n1. die Daten zu löschen und\n2. dies zu melden, sofern es gefordert ist.\n'.replace(
        'hat\n',
        'hat nach Ablauf der Frist\n',
      ),
    );
    expect(found.map((candidate) => candidate.keyword)).toEqual(['hat … zu löschen']);
  });

  it('reads the demand of a table row from its column, and sentences of its cells with their label', async () => {
    const found = await find(
      '# F\n\n| Field | Required | Rule |\n|-|-|-|\n| a | yes | must be short |\n| b | no | must be long |\n| c | no | free |\n',
    );
    expect(found.map((candidate) => [candidate.text, candidate.found])).toEqual([
      ['Field: a; Required: yes; Rule: must be short', 'table'],
      ['a – Rule: must be short', 'sentence'],
      ['b – Rule: must be long', 'sentence'],
    ]);
  });

  it('applies the modality of a heading like "Must have" to its items', async () => {
    expect(
      await find('# Must have\n\n- Export as CSV\n\n# Should have\n\n- A dark mode\n\n# Ideas\n\n- A game\n'),
    ).toMatchObject([
      { modality: 'obligation', text: 'Must have: Export as CSV' },
      { modality: 'recommendation', text: 'Should have: A dark mode' },
    ]);
  });

  it.each([
    ['headings', '# Users must sign in\n\n## REQUIRED fields\n\ntext\n'],
    ['code', '```\nusers must sign in\n```\n\n    users MUST sign in\n\ntext\n'],
    ['a table of contents', '# Users must sign in\n\n- [Users must sign in](#a)\n\n1 Users must sign in ........ 4\n'],
    [
      'a history of changes',
      '# Revision history\n\n- 2.0: users MUST now sign in, changed from SHOULD\n- users must sign in\n',
    ],
    [
      'a section that calls itself informative',
      '# Notes\n\nThis section is non-normative.\n\n## Sub\n\nUsers MUST sign in.\n',
    ],
    ['the header of a table', '| Users must | sign in |\n|-|-|\n| a | b |\n'],
    ['captions', 'Table 4: Fields that must be set\n'],
  ])('finds nothing in %s', async (_, source) => {
    expect(await findTexts(source)).toEqual([]);
  });

  it('applies the convention of key words in capitals per language', async () => {
    const source =
      'Clients MUST ask. Servers MUST answer. Both MUST log. Nobody must wait.\n\nDie Akte muss geführt werden.\n';
    expect(await findTexts(source)).toEqual([
      'Clients MUST ask.',
      'Servers MUST answer.',
      'Both MUST log.',
      'Die Akte muss geführt werden.',
    ]);
  });

  it('reports every sentence with words of obligation as a candidate or with the reason why it is none', async () => {
    const source = [
      '# What users must do',
      '- [What users must do](#a)',
      'Users must sign in. If they must leave, they say so. The word "must" is short. It must be noted.',
      '## References',
      'Everybody must read this.',
      '## Rules\n\n```\nusers must wait\n```',
      '| Field | Rule |\n|-|-|\n| a | must be short |\n| required | - |',
      'The operator must:\n\n- keep a log;\n- check it.',
    ].join('\n\n');
    const { blocks } = await readMarkdown(source, 'a.md', signal);
    const { candidates, omitted } = await findCandidates(blocks, { unit: 'line', document: 'a.md', signal });
    const covered = [...candidates, ...candidates.flatMap(({ context = [] }) => context), ...omitted];
    const lost = blocks.flatMap((block, number) =>
      [...block.text.matchAll(/\b(?:must|required)\b/g)]
        .filter(({ index }) => !covered.some((at) => at.block === number && at.from <= index && index < at.to))
        .map(() => block.text),
    );
    expect(lost).toEqual([]);
    expect(new Set(omitted.map(({ reason }) => reason)).size).toBeGreaterThanOrEqual(7);
    expect(omitted.every(({ reason, keyword }) => reason !== '' && keyword !== '')).toBe(true);
  });

  it('does not read a priority as a demand: a row with its own obligation is a requirement, any other is doubtful', async () => {
    const rows =
      '| Requirement | Priority |\n|-|-|\n| Users must sign in. | Must |\n| Export as CSV | Must |\n| Help | required |\n';
    const { blocks } = await readMarkdown(rows, 'a.md', signal);
    const { candidates } = await findCandidates(blocks, { unit: 'line', document: 'a.md', signal });
    expect(candidates.map(({ text, confidence }) => [text, confidence >= 0.5])).toEqual([
      ['Users must sign in.', true],
      ['Requirement: Export as CSV; Priority: Must', false],
    ]);
  });

  it('keeps the subject of a row: after a number, below a cell that spans rows, and when it is long', async () => {
    const long = 'The name by which the user is known to all other parts of the system and to its operators';
    expect(
      await findTexts(
        `| Nr. | Object | Rule |\n|-|-|-|\n| R1 | Password | must have 12 characters |\n| | | must be changed yearly |\n| R2 | ${long} | must be unique |\n`,
      ),
    ).toEqual([
      'R1 Password – Rule: must have 12 characters',
      'R1 Password – Rule: must be changed yearly',
      `R2 ${long} – Rule: must be unique`,
    ]);
  });

  it('reads sections after a table of contents, even if their heading looks like a subsection of it', async () => {
    expect(
      await findTexts('# Table of contents\n\nUsers must sign in ... 4\n\n## 1. Rules\n\nUsers must sign in.\n'),
    ).toEqual(['Users must sign in.']);
  });

  it('reports marked fields as requirements, and instructions of a checklist as doubtful ones', async () => {
    const source =
      'The fields are:\n\n- Name (mandatory)\n- Section (recommended)\n- Homepage\n\n# Checklist\n\n- Set a good password\n- Passwords\n';
    const { blocks } = await readMarkdown(source, 'a.md', signal);
    const { candidates } = await findCandidates(blocks, { unit: 'line', document: 'a.md', signal });
    expect(candidates.map(({ quote, modality, confidence }) => [quote, modality, confidence >= 0.5])).toEqual([
      ['Name (mandatory)', 'obligation', true],
      ['Section (recommended)', 'recommendation', true],
      ['Set a good password', 'obligation', false],
    ]);
  });

  it('keeps ids when other parts of the document change, and gives equal sentences of a section different ids', async () => {
    const ids = async (source: string): Promise<string[]> => (await find(source)).map((candidate) => candidate.id);
    const before = await ids('# A\n\nOne must act. One must act.\n\n# B\n\nOne must act.\n');
    const after = await ids(
      '# New\n\nText.\n\n# A\n\nMore text. One must act. One must act.\n\n# B\n\nOne must act.\n',
    );
    expect(after).toEqual(before);
    expect(new Set(before).size).toBe(3);
  });
});
