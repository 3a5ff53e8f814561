import { ServerSentEventParser } from '@phaseline/basics';
import { expect, it } from 'vitest';
import { encodeEventRecord, encodePosition, encodeStreamEnd, KEEP_ALIVE_COMMENT } from './encode-server-sent-event.js';
import type { EventRecord } from './event-record.js';

it('the output of the encoders can be parsed, including line breaks in the data', () => {
  const record = {
    position: 9,
    type: 'FileWritten',
    data: { text: 'a\nb\r\n\u2028data: c' },
  } as unknown as EventRecord;
  const parser = new ServerSentEventParser();
  const events = [
    encodeEventRecord(record),
    KEEP_ALIVE_COMMENT,
    encodePosition(12),
    encodeStreamEnd({ status: 'completed' }),
  ].flatMap((text) => parser.push(text));
  expect(events.map(({ name, data }) => [name, JSON.parse(data) as unknown])).toEqual([
    ['message', record],
    ['end', { status: 'completed' }],
  ]);
  expect(parser.lastEventId).toBe('12');
});
