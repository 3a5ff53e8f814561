import { describe, expect, it } from 'vitest';
import { storeSource } from '@phaseline/documents';
import { InlineToolBench } from '@phaseline/tools/testing';
import { workspacePack } from '../files/workspace-pack.js';
import { citationsPack } from './citations-pack.js';

const TEXT = `# Tides

Intro.

## High water

High water is at noon, use the <div> element.

- one item that
- goes on

| Moon | full |

# Other

Noon.
`;

async function bench(): Promise<InlineToolBench> {
  const one = new InlineToolBench({ name: 'both', tools: [...citationsPack.tools, ...workspacePack.tools] });
  const { files } = await storeSource(one.workspace, {
    url: 'https://tides.example/--x',
    title: 'Tides',
    tool: 'fetch_url',
    retrievedAt: '2026-01-02T03:04:05.000Z',
    contentType: 'text/html',
    bytes: new TextEncoder().encode('<html>'),
    text: TEXT,
  });
  one.workspace.stage(files, new Date(0));
  return one;
}
const cited = async (one: InlineToolBench, args: Record<string, unknown>) =>
  JSON.parse(await one.call('cite_web', { source: 1, ...args })) as Record<string, unknown>;

describe('cite_web', () => {
  it('returns source, heading and lines for words in the source, regardless of typography', async () => {
    const one = await bench();
    expect(await cited(one, { quote: 'High water is at   noon, use the <div> element.' })).toMatchObject({
      source: 1,
      url: 'https://tides.example/--x',
      heading: 'High water',
      lines: { from: 10, to: 10 },
      quote: 'High water is at noon, use the <div> element.',
      retrievedAt: '2026-01-02T03:04:05.000Z',
    });
    expect((await one.readText('sources/1.md')).split('\n')[9]).toContain('High water is at noon');
    expect(await cited(one, { quote: 'one item that goes on' })).toMatchObject({ lines: { from: 12, to: 13 } });
    expect(await cited(one, { quote: 'Moon | full' })).toMatchObject({ heading: 'High water' });
    expect(await cited(one, { quote: 'Noon.' })).toMatchObject({ heading: 'Other' });
  });

  it('rejects words that are not in the source, and names the nearest match', async () => {
    const one = await bench();
    await expect(cited(one, { quote: 'High water is always at noon' })).rejects.toThrow(
      /is not in 'sources\/1\.md'.*most similar passage/,
    );
    await expect(cited(one, { quote: 'Low tide' })).rejects.toMatchObject({ code: 'quote_not_found' });
    await expect(cited(one, { quote: 'High water is at noon', lines: { from: 1, to: 6 } })).rejects.toThrow(
      /but on line 10/,
    );
  });

  it('does not search the header comment of the source file', async () => {
    await expect(cited(await bench(), { quote: 'tides.example' })).rejects.toMatchObject({ code: 'quote_not_found' });
    await expect(cited(await bench(), { quote: 'retrieved' })).rejects.toMatchObject({ code: 'quote_not_found' });
  });

  it('lists the existing sources when the requested one does not exist', async () => {
    await expect(cited(await bench(), { source: 7, quote: 'x' })).rejects.toThrow(/Stored sources: 1 \(Tides\)/);
  });

  it('cites nothing from a changed source file, and the agent cannot change one', async () => {
    const one = await bench();
    await expect(one.call('write_file', { path: 'sources/1.md', content: 'forged' })).rejects.toMatchObject({
      code: 'read_only',
    });
    await expect(one.call('delete_file', { path: 'sources/index.jsonl' })).rejects.toMatchObject({ code: 'read_only' });
    one.put('sources/1.md', `${await one.readText('sources/1.md')}\nforged words\n`);
    await expect(cited(one, { quote: 'forged words' })).rejects.toMatchObject({ code: 'source_changed' });
  });
});
