import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseDecoder } from './sse-decoder.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function decode(bytes: Uint8Array, cuts: readonly number[] = []): readonly string[] {
  const decoder = new SseDecoder();
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces = [...ends, bytes.length].map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()].map((event) => event.data);
}

describe('server-sent events', () => {
  it('come out the same however the bytes are cut and the lines end', () => {
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

  it('are not joined over an error', () => {
    const decoder = new SseDecoder();
    expect(decoder.push(encode('event: error\ndata: {}\n\ndata: 1\n\nerror: {"a":1}\n\n'))).toEqual([
      { data: '{}', isError: true },
      { data: '1', isError: false },
      { data: '{"a":1}', isError: true },
    ]);
  });
});
