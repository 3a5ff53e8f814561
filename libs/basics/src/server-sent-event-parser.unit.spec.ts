import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServerSentEventParser, type ServerSentEvent } from './server-sent-event-parser.js';

function parse(pieces: readonly string[]): { events: ServerSentEvent[]; lastEventId: string } {
  const parser = new ServerSentEventParser();
  const events = pieces.flatMap((piece) => [...parser.push(piece)]);
  return { events, lastEventId: parser.lastEventId };
}

const message = (data: string): ServerSentEvent => ({ name: 'message', data });

afterEach(() => vi.restoreAllMocks());

describe('ServerSentEventParser', () => {
  it('parses names, several data lines, comments, and fields without a space or a colon', () => {
    const { events, lastEventId } = parse([': hi\n\nid: 1\nevent: tick\ndata: a\ndata:b\ndata\n\nid:2\ndata:  c\n\n']);
    expect(events).toEqual([{ name: 'tick', data: 'a\nb\n' }, message(' c')]);
    expect(lastEventId).toBe('2');
  });

  it('returns no event for a block without data, but keeps its id', () => {
    expect(parse(['id: 7\n\n', 'event: x\n\n', 'data: y\n\n'])).toEqual({ events: [message('y')], lastEventId: '7' });
  });

  it('discards an incomplete block and its id', () => {
    expect(parse(['id: 1\ndata: a\n\nid: 2\ndata: half\n'])).toEqual({ events: [message('a')], lastEventId: '1' });
  });

  it('ignores an id that contains NUL', () => {
    expect(parse(['id: 1\ndata: a\n\nid: 2\u0000\ndata: b\n\n']).lastEventId).toBe('1');
  });

  it('keeps the reconnection time that the server sends', () => {
    const parser = new ServerSentEventParser();
    parser.push('retry: soon\nretry: 1500\n\n');
    expect(parser.retryMs).toBe(1500);
  });

  it.each(['\n', '\r\n', '\r'])(
    'parses the same events wherever the text is split in three, with lines ending in %j',
    (end) => {
      const text = [
        'id: 1',
        'data: {"a":"é"}',
        '',
        ': c',
        'event: end',
        'data: x',
        'data:',
        '',
        'id: 3',
        '',
        'data: z',
        '',
        '',
      ].join(end);
      const whole = parse([text]);
      expect(whole.events).toHaveLength(3);
      for (let first = 0; first <= text.length; first += 1) {
        for (let second = first; second <= text.length; second += 1) {
          expect(parse([text.slice(0, first), text.slice(first, second), text.slice(second)])).toEqual(whole);
        }
      }
    },
  );

  it('rejects a line that is too long before it exhausts memory', () => {
    const parser = new ServerSentEventParser();
    const piece = 'x'.repeat(16 * 1024 * 1024);
    expect(() => {
      for (let round = 0; round < 5; round += 1) parser.push(piece);
    }).toThrow(RangeError);
  });

  it('takes linear time: a very long line is not searched again with each piece', () => {
    const piece = 'a'.repeat(16 * 1024);
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
    const parser = new ServerSentEventParser();
    parser.push('data: ');
    for (let count = 0; count < pieces; count += 1) expect(parser.push(piece)).toEqual([]);
    const [event] = parser.push('\n\n');
    vi.restoreAllMocks();
    const length = pieces * piece.length;
    expect(event?.data.length).toBe(length);
    // Each character is searched for a line feed, for a carriage return, and for the colon after the field name.
    expect(searched).toBeLessThan(5 * length);
  });

  it('parses the same events however lines end and wherever the text is split', () => {
    const data = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((value) => !/[\r\n]/.test(value) && !value.startsWith(' '));
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const noise = fc.constantFrom('', ': comment', 'id: 7', 'retry: 10', 'unknown: field');
    fc.assert(
      fc.property(fc.array(fc.tuple(data, noise)), lineEnd, fc.array(fc.nat()), (sent, end, cuts) => {
        const text = sent
          .map(([value, before]) => (before === '' ? '' : `${before}${end}${end}`) + `data: ${value}${end}${end}`)
          .join('');
        const ends = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
        const pieces = [...ends, text.length].map((at, index) => text.slice(ends[index - 1] ?? 0, at));
        expect(parse(pieces).events).toEqual(sent.map(([value]) => message(value)));
      }),
    );
  });

  it('returns the last event immediately, even if lines end in CR alone', () => {
    expect(new ServerSentEventParser().push('data: a\r\r')).toEqual([message('a')]);
  });

  it('returns a line `error: …` as an event named error, and does not join data across it', () => {
    expect(parse(['event: error\ndata: {}\n\ndata: 1\n\nerror: {"a":1}\n\n']).events).toEqual([
      { name: 'error', data: '{}' },
      message('1'),
      { name: 'error', data: '{"a":1}' },
    ]);
  });
});
