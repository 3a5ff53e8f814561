import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SseDecoder } from './sse-decoder.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function decode(bytes: Uint8Array, cuts: readonly number[] = []): readonly string[] {
  const decoder = new SseDecoder();
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces = [...ends, bytes.length].map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()].map((event) => event.data);
}

afterEach(() => vi.restoreAllMocks());

describe('server-sent events', () => {
  it('are decoded in linear time: a very long line is not searched again with each piece', () => {
    const piece = encode('a'.repeat(16 * 1024));
    const pieces = 640;
    let searched = 0;
    for (const name of ['indexOf', 'includes', 'search', 'split']) {
      const original = String.prototype[name as 'indexOf'];
      // Searching a joined string copies it first, so its whole length counts.
      vi.spyOn(String.prototype, name as 'indexOf').mockImplementation(function (this: string, ...args) {
        searched += this.length;
        return original.apply(this, args);
      });
    }
    const decoder = new SseDecoder();
    decoder.push(encode('data: '));
    for (let count = 0; count < pieces; count += 1) expect(decoder.push(piece)).toEqual([]);
    const [event] = decoder.push(encode('\n\n'));
    vi.restoreAllMocks();
    const length = pieces * piece.byteLength;
    expect(event?.data.length).toBe(length);
    // Each character is searched for a line feed, for a carriage return, and for the colon after the field name.
    expect(searched).toBeLessThan(5 * length);
  });

  it('are the same wherever the bytes are cut and however lines end', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((value) => !/[\r\n]/.test(value) && value.trim() !== '' && !value.startsWith(' '));
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const noise = fc.constantFrom('', ': comment', 'id: 7', 'retry: 10', 'data', 'unknown: field');
    fc.assert(
      fc.property(fc.array(fc.tuple(text, noise)), lineEnd, fc.array(fc.nat()), (events, end, cuts) => {
        const stream = events
          .map(([data, before]) => (before === '' ? '' : `${before}${end}${end}`) + `data: ${data}${end}${end}`)
          .join('');
        expect(decode(encode(stream), cuts)).toEqual(events.map(([data]) => data));
      }),
    );
  });

  it('may be cut between the carriage return and the line feed of one line', () => {
    const bytes = encode('data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n');
    for (let at = 0; at <= bytes.length; at++) expect(decode(bytes, [at])).toEqual(['a\nb', 'c']);
  });

  it('are not joined across an error', () => {
    const decoder = new SseDecoder();
    expect(decoder.push(encode('event: error\ndata: {}\n\ndata: 1\n\nerror: {"a":1}\n\n'))).toEqual([
      { data: '{}', isError: true },
      { data: '1', isError: false },
      { data: '{"a":1}', isError: true },
    ]);
  });
});
