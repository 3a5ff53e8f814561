import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalEvent, CHAIN_START, eventHash, type HashedEvent } from './canonical-event.js';

const event: HashedEvent = {
  streamId: 'job-1',
  version: 12,
  eventId: '0192f0c4-7b1a-7c3e-9d2f-0123456789ab',
  type: 'JobSubmitted',
  schemaVersion: 1,
  recordedAt: '2026-01-02T03:04:05.123456Z',
  correlationId: '1',
  data: '{"title":"Prüfung"}',
  metadata: '{}',
};

// A literal, so that any change of the format fails this spec: every stored hash depends on it.
const canonicalText =
  '5:job-1,2:12,36:0192f0c4-7b1a-7c3e-9d2f-0123456789ab,12:JobSubmitted,1:1,27:2026-01-02T03:04:05.123456Z,1:1,20:{"title":"Prüfung"},2:{},';

it('canonicalEvent returns one netstring per field, with lengths in bytes', () => {
  expect(canonicalEvent(event)).toBe(canonicalText);
});

it('eventHash hashes the 32 bytes of the previous hash and the canonical text', () => {
  expect(eventHash(CHAIN_START, event)).toEqual(
    createHash('sha256').update(Buffer.alloc(32)).update(canonicalText).digest(),
  );
  expect(eventHash(eventHash(CHAIN_START, event), event)).not.toEqual(eventHash(CHAIN_START, event));
});

it('different events have different canonical texts, even if a value imitates the next field', () => {
  expect(canonicalEvent({ ...event, correlationId: '1,3:{},', data: '{}' })).not.toBe(
    canonicalEvent({ ...event, correlationId: '1', data: '3:{},{}' }),
  );
});
