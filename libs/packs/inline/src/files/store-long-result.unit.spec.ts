import { RESULTS_DIRECTORY } from '@phaseline/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storeLongResult } from '@phaseline/tools';
import { buildPhaseState, InlineToolBench } from '@phaseline/tools/testing';
import { workspacePack } from './workspace-pack.js';

const place = { callId: 'call_1_2_3', tree: {}, maxCharacters: 24_000, canReadFiles: true };
const PATH = `${RESULTS_DIRECTORY}/call_1_2_3.txt`;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const fileOf = ({ files }: ReturnType<typeof storeLongResult>): Uint8Array => {
  const [file] = files;
  if (!file || !('content' in file)) throw new Error('there is no file');
  expect(file.path).toBe(PATH);
  return file.content;
};

/** Pieces of text that reveal code which confuses characters with bytes, or splits lines where there are none. */
const trickyPieces = fc.constantFrom(
  'plain words ',
  'ü',
  '€',
  '🙂',
  '👩‍👩‍👧',
  '\r\n',
  '\n',
  '\r',
  '\uFEFF',
  '\t',
  '\u2028',
  'e\u0301',
  '0',
);
const texts = fc
  .array(fc.tuple(trickyPieces, fc.integer({ min: 1, max: 300 })), { minLength: 1, maxLength: 30 })
  .map((runs) => runs.map(([piece, times]) => piece.repeat(times)).join(''));

/** Creates a workspace with one stored result, and reads it with the given result limit. */
function createReader(text: string, resultCharacters = 24_000) {
  const {
    terms: { limits },
  } = buildPhaseState().start;
  const bench = new InlineToolBench(
    workspacePack,
    buildPhaseState({ terms: { limits: { ...limits, resultCharacters } } }),
  );
  bench.put(PATH, text);
  const read = async (args: Record<string, unknown>): Promise<string> =>
    bench.call('read_file', { path: PATH, ...args });
  return {
    read,
    /** Reads one byte range, without the note that follows it. */
    readPart: async (args: Record<string, unknown>) => {
      const [, body, from, to, next] =
        /^([^]*)\n\[bytes (\d+) to (\d+) of \d+\.(?: Continue with from_byte (\d+)\.)?\]$/.exec(await read(args))!;
      expect(bytesOf(body!).byteLength).toBe(Number(to) - Number(from));
      return { body: body!, next: next === undefined ? undefined : Number(next) };
    },
  };
}

describe('a result that is too long', () => {
  it('is stored whole as a file, and its beginning and end stay visible', () => {
    const text = `BEGIN ${'word '.repeat(20_000)}END`;
    const kept = storeLongResult(text, place);
    expect(new TextDecoder().decode(fileOf(kept))).toBe(text);
    expect(kept.content).toContain(`${text.length} characters`);
    expect(kept.content).toMatch(new RegExp(`^\\[.*${PATH}.*read_file[^]*\nBEGIN word [^]*word END$`));
    expect(kept.content.length).toBeLessThan(5_000);
  });

  it('does not mention read_file when the phase does not offer it', () => {
    expect(storeLongResult('x'.repeat(30_000), { ...place, canReadFiles: false }).content).not.toContain('read_file');
  });

  it('is returned unchanged up to the limit', () => {
    const text = 'x'.repeat(place.maxCharacters);
    expect(storeLongResult(text, place)).toEqual({ content: text, files: [] });
  });

  it('is clipped when the job has its own files at that path', () => {
    const entry = { hash: 'ab'.repeat(32), size: 1, writtenAt: '2026-01-01T00:00:00.000Z' };
    for (const taken of [RESULTS_DIRECTORY, `${PATH}/x`]) {
      const tree = { [taken]: entry };
      const kept = storeLongResult('x'.repeat(30_000), { ...place, tree });
      expect(kept.files).toEqual([]);
      expect(kept.content).toContain('characters omitted');
    }
  });

  it('gets a preview of whole characters that states exactly which bytes are missing', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 200, max: 3_000 }), (text, limit) => {
        fc.pre(text.length > limit);
        const kept = storeLongResult(text, { ...place, maxCharacters: limit });
        const bytes = fileOf(kept);
        const [, head, from, to, tail] =
          /^[^\n]*\n([^]*)\n\[… bytes (\d+) to (\d+) of \d+ are only in [^\n]*…\]\n([^]*)$/.exec(kept.content)!;
        expect(kept.content.isWellFormed()).toBe(true);
        expect(bytesOf(head!)).toEqual(bytes.slice(0, Number(from)));
        expect(bytesOf(tail!)).toEqual(bytes.slice(Number(to)));
      }),
    );
  });
});

describe('reading a stored result back', () => {
  it('returns every byte when each read continues where the previous one says', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 200, max: 4_000 }), async (text, resultCharacters) => {
        const { readPart } = createReader(text, resultCharacters);
        let whole = '';
        for (let next: number | undefined = 0; next !== undefined;) {
          const { body, next: following } = await readPart({ from_byte: next });
          whole += body;
          next = following;
        }
        expect(whole).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('returns every byte for any adjacent ranges', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat(20_000), { maxLength: 12 }), async (text, cuts) => {
        const size = bytesOf(text).byteLength;
        fc.pre(size <= 16_000);
        const bounds = [...new Set([0, ...cuts.filter((cut) => cut < size), size])].sort((a, b) => a - b);
        const { readPart } = createReader(text);
        let whole = '';
        for (const [index, from] of bounds.slice(0, -1).entries()) {
          const to = bounds[index + 1]!;
          for (let next: number | undefined = from; next !== undefined && next < to;) {
            const { body, next: following } = await readPart({ from_byte: next, to_byte: to });
            whole += body;
            next = following;
          }
        }
        expect(whole).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('returns every line with its original newline', async () => {
    const text = `${Array.from({ length: 3_000 }, (_, line) => `line ${line} with 🙂 and\ttabs${line % 3 === 0 ? '\r' : ''}`).join('\n')}\n`;
    const { read } = createReader(text);
    let whole = '';
    for (let from: number | undefined = 1; from !== undefined;) {
      const [, body, next]: string[] =
        /^([^]*)\n\[lines \d+ to \d+ of 3000\.(?: Continue with from_line (\d+)\.)?\]$/.exec(
          await read({ from_line: from }),
        )!;
      whole += `${body}\n`;
      from = next === undefined ? undefined : Number(next);
    }
    expect(whole).toBe(text);
  });

  it.each([30_000, 333_333])('continues by bytes within a line of %i times two characters', async (times) => {
    const text = `first\n${'🙂é'.repeat(times)}\nlast`;
    const { read, readPart } = createReader(text);
    const [, begun, next] = /^([^]*)\n\[.* Continue with from_byte (\d+)\.\]$/.exec(await read({ from_line: 2 }))!;
    let whole = `first\n${begun}`;
    for (let from: number | undefined = Number(next); from !== undefined;) {
      const { body, next: following } = await readPart({ from_byte: from });
      whole += body;
      from = following;
    }
    expect(whole === text).toBe(true);
  });

  it('never exceeds the limit itself: a larger range is cut, and the result says how to continue', async () => {
    const { read } = createReader('word '.repeat(4_000), 1_000);
    expect((await read({})).length).toBeLessThanOrEqual(1_000);
    const part = await read({ from_byte: 0, to_byte: 19_000 });
    expect(part.length).toBeLessThanOrEqual(1_000);
    expect(part).toMatch(/Continue with from_byte \d+\.\]$/);
  });

  it('keeps a leading byte order mark and the trailing newline', async () => {
    expect(await createReader('\uFEFFone\r\ntwo\r\n').read({})).toBe('\uFEFFone\r\ntwo\r\n');
    expect(await createReader('one\ntwo').read({ from_line: 2 })).toBe(
      'two\n[lines 2 to 2 of 2, no newline at the end.]',
    );
  });
});
