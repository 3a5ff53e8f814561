import { describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { MasterKeys } from '../sealed/master-keys.js';
import { appendOf, masterKey, redact, sealedId } from '../testing/sealed.fixture.js';
import { appendTo, freshStream, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { LARGE_TEXT } from '../large-text/large-text.js';
import { UnreadableAppend } from './append-errors.js';
import type { CheckEvent } from './check-event.js';

const pools = useTestDatabase();

/** Stands in for a schema: `amount` must be a whole number, and `name` short where it is given. */
const check: CheckEvent = ({ type, data }) => {
  if (type === 'Unknown') throw new Error('no event of that name is known');
  if (typeof data['amount'] !== 'number' || !Number.isSafeInteger(data['amount']))
    throw new Error('amount: expected int');
};
const counted = (amount: unknown): ReturnType<typeof newEvent> => newEvent({ data: { amount } as never });

describe('a store that checks events', () => {
  const store = (): EventStore => new EventStore(pools.service, { checkEvent: check });

  it('appends what can be read back, together with others or alone', async () => {
    const stream = freshStream();
    await store().append(appendTo(stream, { events: [counted(1), counted(2)] }));
    expect((await store().read(stream)).map(({ data }) => data['amount'])).toEqual([1, 2]);
  });

  it.each([
    ['NaN, which JSON writes as null', NaN],
    ['an infinite number', Infinity],
    ['a number above 2^53', 2 ** 53],
    ['a member that JSON leaves out', undefined],
    ['a date, which JSON writes as text', new Date(0)],
  ])('refuses %s, and nothing of its unit is in the log', async (_what, amount) => {
    const [good, bad] = [freshStream(), freshStream()];
    const unit = [
      appendTo(good, { correlationId: 'one', events: [counted(1)] }),
      appendTo(bad, { correlationId: 'one', events: [counted(amount)] }),
    ];
    await expect(store().append(unit)).rejects.toThrow(UnreadableAppend);
    expect(await store().head(good)).toBeUndefined();
    expect(await store().head(bad)).toBeUndefined();
  });

  it('refuses one caller and not those who share the commit', async () => {
    const shared = store();
    const streams = [freshStream(), freshStream(), freshStream()];
    const outcomes = await Promise.allSettled(
      streams.map((stream, index) => shared.append(appendTo(stream, { events: [counted(index === 1 ? NaN : index)] }))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('refuses it in a transaction of the caller too', async () => {
    const client = await pools.service.connect();
    try {
      await client.query('BEGIN');
      const appended = store().appendWithin(
        client,
        appendTo(freshStream(), { events: [newEvent({ type: 'Unknown' })] }),
      );
      await expect(appended).rejects.toThrow(UnreadableAppend);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('says nothing of what an encrypted job holds, and stores neither the event nor its key', async () => {
    const id = sealedId();
    const sealing = { masterKeys: MasterKeys.parse(masterKey), redact };
    const failing: CheckEvent = ({ data }) => {
      throw new Error(`secret ${String(data['text'])}`);
    };
    const sealed = new EventStore(pools.service, { sealing, checkEvent: failing });
    const refused = sealed.append(appendOf(id, [{ data: { text: 'the plan' } }]));
    await expect(refused).rejects.toThrow(UnreadableAppend);
    await expect(refused).rejects.not.toThrow(/plan/);
    expect((await pools.service.query('SELECT FROM phaseline.job_keys WHERE correlation_id = $1', [id])).rowCount).toBe(
      0,
    );
  });

  it('checks the preview of a large text as well: lists and streams of events read that', async () => {
    const seen: number[] = [];
    const counting = new EventStore(pools.service, {
      checkEvent: ({ data }) => void seen.push(String(data['text']).length),
    });
    await counting.append(
      appendTo(freshStream(), { events: [newEvent({ data: { text: 'x'.repeat(LARGE_TEXT + 1) } })] }),
    );
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(LARGE_TEXT + 1);
    expect(seen[1]).toBeLessThan(LARGE_TEXT);
  });
});
