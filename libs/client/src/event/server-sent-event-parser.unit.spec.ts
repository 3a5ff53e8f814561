import { describe, expect, it } from 'vitest';
import { encodeEventRecord, encodePosition, encodeStreamEnd, KEEP_ALIVE_COMMENT } from './encode-server-sent-event.js';
import type { EventRecord } from './event-record.js';
import { ServerSentEventParser, type ServerSentEvent } from './server-sent-event-parser.js';

function parse(pieces: readonly string[]): { events: ServerSentEvent[]; lastEventId: string } {
  const parser = new ServerSentEventParser();
  const events = pieces.flatMap((piece) => [...parser.push(piece)]);
  return { events, lastEventId: parser.lastEventId };
}

const message = (data: string): ServerSentEvent => ({ name: 'message', data });

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

  it('parses the output of the encoders, including line breaks in the data', () => {
    const record = {
      position: 9,
      type: 'FileWritten',
      data: { text: 'a\nb\r\n\u2028data: c' },
    } as unknown as EventRecord;
    const { events, lastEventId } = parse([
      encodeEventRecord(record),
      KEEP_ALIVE_COMMENT,
      encodePosition(12),
      encodeStreamEnd({ status: 'completed' }),
    ]);
    expect(events.map(({ name, data }) => [name, JSON.parse(data) as unknown])).toEqual([
      ['message', record],
      ['end', { status: 'completed' }],
    ]);
    expect(lastEventId).toBe('12');
  });
});
