import { describe, expect, it } from 'vitest';
import { maskStream } from './mask-stream.js';
import { SecretMask } from './secret-mask.js';

const VALUE = 'correct horse/battery+staple';

async function* chunksOf(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.byteLength; at += size) yield content.subarray(at, at + size);
}

async function mask(content: string | Buffer, size: number, values: Record<string, string> = { TOKEN: VALUE }) {
  let found = 0;
  const parts: Uint8Array[] = [];
  for await (const part of maskStream(
    chunksOf(Buffer.from(content as string), size),
    new SecretMask(values),
    () => (found += 1),
  ))
    parts.push(part);
  return { text: Buffer.concat(parts).toString('latin1'), found };
}

describe('a streamed content', () => {
  it('contains no secret, wherever its chunks end, and says once that it contained one', async () => {
    const base64 = Buffer.from(VALUE).toString('base64');
    const content = `a ${VALUE} b ${base64} c ${VALUE}`;
    for (let size = 1; size <= content.length; size += 1)
      expect(await mask(content, size), String(size)).toEqual({ text: 'a [TOKEN] b [TOKEN] c [TOKEN]', found: 1 });
  });

  it('stays the same without one, also if it is not text', async () => {
    const binary = Buffer.from([...Array(1_000).keys()].map((at) => (at * 7) % 256));
    expect(await mask(binary, 13)).toEqual({ text: binary.toString('latin1'), found: 0 });
    expect(await mask(VALUE, 3, {})).toEqual({ text: VALUE, found: 0 });
  });

  it('that ends in the middle of a value shows no beginning of it', async () => {
    expect(await mask(`a ${VALUE.slice(0, -1)}`, 5)).toEqual({ text: 'a [TOKEN]', found: 1 });
  });
});
