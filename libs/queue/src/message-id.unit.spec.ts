import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeMessageId } from './message-id.js';

/** Whether BullMQ 6.7 accepts an id: not empty, no integer, no `:`. */
const isLegal = (id: string): boolean => id !== '' && !id.includes(':') && `${Number.parseInt(id, 10)}` !== id;

describe('encodeMessageId', () => {
  it('leaves ids unchanged that BullMQ accepts', () => {
    for (const id of ['0190c2f1-7f7e-7c3a-b3f4-2f1f0f6a1c11-3-12-1', 'call_9.a', '1.5', '007x'])
      expect(encodeMessageId(id)).toBe(id);
  });

  it('makes every id legal and limits its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), (id) => {
        const encoded = encodeMessageId(id);
        expect(isLegal(encoded)).toBe(true);
        expect(encoded.length).toBeLessThanOrEqual(200);
        expect(encoded).toMatch(/^[A-Za-z0-9._~-]+$/);
      }),
    );
    for (const id of ['0', '-1', '42', '0:1', 'a:b:c']) expect(isLegal(encodeMessageId(id))).toBe(true);
  });

  it('keeps different ids different, including ids that look encoded', () => {
    const pairs = [
      ['42', '~342'],
      ['a:b', 'a~3ab'],
      ['~', '~7e'],
      ['x'.repeat(300), 'x'.repeat(301)],
      ['-1', '~2d1'],
    ] as const;
    for (const [one, other] of pairs) expect(encodeMessageId(one)).not.toBe(encodeMessageId(other));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        fc.pre(one !== other);
        expect(encodeMessageId(one)).not.toBe(encodeMessageId(other));
      }),
    );
  });

  it('rejects an empty id, for which BullMQ would generate one', () => {
    expect(() => encodeMessageId('')).toThrow(/the id is empty/);
  });
});
