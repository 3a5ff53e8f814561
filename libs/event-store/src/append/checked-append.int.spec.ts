import { describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { MasterKeys } from '../encryption/master-keys.js';
import { createEncryptedAppend, masterKey, redact, createEncryptedId } from '../testing/encrypted.fixture.js';
import { appendTo, createStreamId, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { LARGE_TEXT_CHARACTERS } from '../large-text/large-text.js';
import { UnreadableAppend } from './append-errors.js';
import type { CheckEvent } from './check-event.js';

const pools = useTestDatabase();

/** Simulates a schema: `amount` must be an integer. */
const check: CheckEvent = ({ type, data }) => {
  if (type === 'Unknown') throw new Error('unknown event type');
  if (typeof data['amount'] !== 'number' || !Number.isSafeInteger(data['amount']))
    throw new Error('amount: expected int');
};
const eventWithAmount = (amount: unknown): ReturnType<typeof newEvent> => newEvent({ data: { amount } as never });

describe('a store that checks events', () => {
  const store = (): EventStore => new EventStore(pools.service, { checkEvent: check });

  it('appends events that can be read back', async () => {
    const stream = createStreamId();
    await store().append(appendTo(stream, { events: [eventWithAmount(1), eventWithAmount(2)] }));
    expect((await store().read(stream)).map(({ data }) => data['amount'])).toEqual([1, 2]);
  });

  it.each([
    ['NaN, which JSON writes as null', NaN],
    ['an infinite number', Infinity],
    ['a number above 2^53', 2 ** 53],
    ['a member that JSON leaves out', undefined],
    ['a date, which JSON writes as text', new Date(0)],
  ])('rejects %s together with the rest of its unit', async (_what, amount) => {
    const [good, bad] = [createStreamId(), createStreamId()];
    const unit = [
      appendTo(good, { correlationId: 'one', events: [eventWithAmount(1)] }),
      appendTo(bad, { correlationId: 'one', events: [eventWithAmount(amount)] }),
    ];
    await expect(store().append(unit)).rejects.toThrow(UnreadableAppend);
    expect(await store().head(good)).toBeUndefined();
    expect(await store().head(bad)).toBeUndefined();
  });

  it('rejects one caller but not others that share the commit', async () => {
    const shared = store();
    const streams = [createStreamId(), createStreamId(), createStreamId()];
    const outcomes = await Promise.allSettled(
      streams.map((stream, index) =>
        shared.append(appendTo(stream, { events: [eventWithAmount(index === 1 ? NaN : index)] })),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('rejects an event in a transaction of the caller as well', async () => {
    const client = await pools.service.connect();
    try {
      await client.query('BEGIN');
      const appended = store().appendWithin(
        client,
        appendTo(createStreamId(), { events: [newEvent({ type: 'Unknown' })] }),
      );
      await expect(appended).rejects.toThrow(UnreadableAppend);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('reveals nothing about the content of an encrypted job, and stores neither the event nor a key', async () => {
    const id = createEncryptedId();
    const encryption = { masterKeys: MasterKeys.parse(masterKey), redact };
    const failing: CheckEvent = ({ data }) => {
      throw new Error(`secret ${String(data['text'])}`);
    };
    const encrypted = new EventStore(pools.service, { encryption, checkEvent: failing });
    const rejected = encrypted.append(createEncryptedAppend(id, [{ data: { text: 'the plan' } }]));
    await expect(rejected).rejects.toThrow(UnreadableAppend);
    await expect(rejected).rejects.not.toThrow(/plan/);
    expect((await pools.service.query('SELECT FROM phaseline.job_keys WHERE correlation_id = $1', [id])).rowCount).toBe(
      0,
    );
  });

  it('checks the preview of a large text as well, because lists and subscriptions read it', async () => {
    const seen: number[] = [];
    const counting = new EventStore(pools.service, {
      checkEvent: ({ data }) => void seen.push(String(data['text']).length),
    });
    await counting.append(
      appendTo(createStreamId(), { events: [newEvent({ data: { text: 'x'.repeat(LARGE_TEXT_CHARACTERS + 1) } })] }),
    );
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(LARGE_TEXT_CHARACTERS + 1);
    expect(seen[1]).toBeLessThan(LARGE_TEXT_CHARACTERS);
  });
});
