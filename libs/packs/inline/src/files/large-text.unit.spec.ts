import { StagedWorkspace, contentHash, decodeInSlices, encodeInSlices, findOccurrences } from '@phaseline/workspace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InlineToolBench } from '@phaseline/tools/testing';
import { workspacePack } from './workspace-pack.js';

const bench = () => new InlineToolBench(workspacePack);

describe('searching in a large text', () => {
  it('finds what indexOf finds, for short and for long texts', async () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(few, few, fc.nat(400), async (part, around, times) => {
        const wanted = `${part.repeat(times).slice(0, 600)}a`;
        const text = `${around}${wanted}${around}${wanted}${wanted}`;
        let expected = 0;
        for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) expected += 1;
        const found = await findOccurrences(wanted, text);
        expect(found).toHaveLength(expected);
        for (const at of found) expect(text.startsWith(wanted, at)).toBe(true);
      }),
    );
  });

  it('finds text that spans two chunks', async () => {
    for (const length of [1, 7, 249, 250, 251, 5_000]) {
      const wanted = `${'x'.repeat(length - 1)}y`;
      for (const at of [256 * 1024 - length, 256 * 1024 - 1, 256 * 1024])
        expect(await findOccurrences(wanted, `${'-'.repeat(at)}${wanted}${'-'.repeat(10)}`)).toEqual([at]);
    }
  });

  it('takes linear time for long texts, for which indexOf would take minutes', async () => {
    const wanted = `${'a'.repeat(99_999)}b${'a'.repeat(100_000)}`;
    expect(await findOccurrences(wanted, `${'a'.repeat(8_000_000)}`)).toEqual([]);
    expect(await findOccurrences(wanted, `${'a'.repeat(4_000_000)}${wanted}`)).toEqual([4_000_000]);
  });
});

describe('a large text', () => {
  it('is encoded and decoded without change, with the right hash, wherever its chunks are cut', async () => {
    const text = `\ufeff${'😀ä'.repeat(200_000)}`;
    const content = await encodeInSlices([text.slice(0, 300_000), text.slice(300_000)]);
    expect(content.equals(Buffer.from(text))).toBe(true);
    expect(await decodeInSlices(content)).toBe(text);
    const { facts } = new StagedWorkspace({}, { get: async () => undefined }).stage(
      [{ path: 'a.txt', content }],
      new Date(0),
    );
    expect(facts).toMatchObject([{ data: { hash: contentHash(Buffer.from(text)) } }]);
    await expect(decodeInSlices(content.subarray(0, -1))).rejects.toThrow(TypeError);
  });

  it('is not built when replacing would make it too large', async () => {
    const tools = bench();
    tools.put('a.txt', 'a'.repeat(500_000));
    const args = { path: 'a.txt', old_text: 'a', new_text: 'b'.repeat(200_000), replace_all: true };
    await expect(tools.call('edit_file', args)).rejects.toMatchObject({ code: 'too_large' });
    tools.put('b.txt', 'a'.repeat(1_000_001));
    await expect(
      tools.call('edit_file', { path: 'b.txt', old_text: 'a', new_text: '', replace_all: true }),
    ).rejects.toMatchObject({ code: 'too_many_places' });
  });
});
