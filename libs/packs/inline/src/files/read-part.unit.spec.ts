import { StagedWorkspace } from '@phaseline/workspace';
import { describe, expect, it } from 'vitest';
import { buildPhaseState } from '@phaseline/tools/testing';
import { type InlineToolContext } from '@phaseline/tools';
import { workspacePack } from './workspace-pack.js';

const MEBIBYTE = 1024 * 1024;

/** Creates a workspace with one file that can only be read in parts, and records the ranges that are read. */
function createLargeFile(content: Buffer) {
  const reads: { readonly offset: number; readonly length: number }[] = [];
  const hash = 'ab'.repeat(32);
  const workspace = new StagedWorkspace(
    { 'big.txt': { hash, size: content.byteLength, writtenAt: '2026-01-01T00:00:00.000Z' } },
    {
      get: async () => Promise.reject(new Error('the whole was read')),
      read: async (_hash, range) => {
        reads.push(range);
        return content.subarray(range.offset, range.offset + range.length);
      },
    },
  );
  const call = async (name: string, args: object): Promise<string> => {
    const tool = workspacePack.tools.find((candidate) => candidate.name === name)!;
    const context: InlineToolContext = { state: buildPhaseState(), workspace, callId: 'call', now: new Date(0) };
    return (
      await (tool.run as (context: object, input: unknown) => Promise<{ content: string }>)(
        context,
        tool.input.parse(args),
      )
    ).content;
  };
  const read = (args: object = {}): Promise<string> => call('read_file', { path: 'big.txt', ...args });
  return { reads, read, call };
}

const lines = Array.from({ length: 60_000 }, (_, index) => `${index + 1}: Größe 🙂 of a line`);
const text = Buffer.from(lines.join('\n'));

describe('a large file', () => {
  it('is read in parts that neither omit nor repeat anything, without holding the whole file in memory', async () => {
    const { read, reads } = createLargeFile(text.subarray(0, 1_200_000));
    let whole = '';
    let next: number | undefined = 0;
    for (let parts = 0; next !== undefined; parts += 1) {
      expect(parts).toBeLessThan(200);
      const part: string = await read(next === 0 ? {} : { from_byte: next });
      const [, body, from, to] = /^([^]*)\n\[bytes (\d+) to (\d+) of 1200000\./.exec(part)!;
      expect(Number(from)).toBe(next);
      whole += body;
      next = Number(/from_byte (\d+)/.exec(part)?.[1] ?? NaN) || undefined;
      if (next !== undefined) expect(next).toBe(Number(to));
    }
    const expected = new TextDecoder().decode(text.subarray(0, 1_200_000)).replace(/\ufffd+$/, '');
    expect(whole).toBe(expected);
    expect(Math.max(...reads.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024);
  });

  it('is read by line only up to the requested lines', async () => {
    const { read, reads } = createLargeFile(text);
    const part = await read({ from_line: 20_000, to_line: 20_002 });
    expect(part.split('\n').slice(0, 3)).toEqual(lines.slice(19_999, 20_002));
    expect(part).toMatch(/\[bytes \d+ to \d+ of \d+\. Continue with from_byte \d+\.\]$/);
    expect(Math.max(...reads.map(({ offset }) => offset))).toBeLessThan(text.byteLength / 2);
  });

  it('is read from a given byte without reading anything before it, also from the middle of a character', async () => {
    const { read, reads } = createLargeFile(text);
    const at = text.indexOf('🙂', MEBIBYTE);
    expect((await read({ from_byte: at + 2 })).startsWith(' of a line\n')).toBe(true);
    expect(reads.map(({ offset }) => offset)).toEqual([at + 2]);
  });

  it.each([
    [{ from_line: 60_001 }, /has 60000 lines/],
    [{ from_byte: 100 * MEBIBYTE }, /after the end/],
    [{ from_line: 5, to_line: 4 }, /before from_line/],
  ])('rejects a range outside the file: %j', async (args, problem) => {
    await expect(createLargeFile(text).read(args)).rejects.toThrow(problem);
  });

  it('with one long line is cut, and can be continued', async () => {
    const { read } = createLargeFile(Buffer.alloc(2 * MEBIBYTE, 'x'));
    const part = await read();
    expect(part).toContain('[bytes 0 to 16000 of 2097152. Continue with from_byte 16000.]');
  });

  it('that is not text is rejected', async () => {
    await expect(createLargeFile(Buffer.alloc(2 * MEBIBYTE, 0)).read()).rejects.toThrow(/not a text file/);
    await expect(createLargeFile(Buffer.alloc(2 * MEBIBYTE, 0xff)).read()).rejects.toThrow(/not a text file/);
  });

  it('is not edited when that would take too much memory', async () => {
    const huge = createLargeFile(Buffer.alloc(17 * MEBIBYTE, 'x'));
    await expect(huge.call('edit_file', { path: 'big.txt', old_text: 'x', new_text: 'y' })).rejects.toThrow(/in parts/);
  });
});
