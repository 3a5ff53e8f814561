import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { InvalidAppend } from '../append/append-errors.js';
import { verifyChain } from '../chain/verify-chain.js';
import { EventStore } from '../event-store.js';
import { Subscription } from '../tail/subscription.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { appendTo, eventually, freshStream, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { LargeTextMissing } from './large-text-errors.js';
import { LARGE_TEXT, LARGE_TEXTS, largeTextsOf } from './large-text.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = new EventStore(pools.service);
});

const long = 'Größe 🙂\r\n\t"\\u0000" '.repeat(2_000);
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const count = async (table: string): Promise<number> =>
  Number((await pools.owner.query<{ count: string }>(`SELECT count(*) FROM phaseline.${table}`)).rows[0]!.count);

async function appended(data: RecordedEvent['data']): Promise<string> {
  const streamId = freshStream();
  await store.append(appendTo(streamId, { events: [newEvent({ data })] }));
  return streamId;
}

describe('a text above the limit', () => {
  const data: RecordedEvent['data'] = {
    note: 'short',
    content: long,
    calls: [{ name: 'a' }, { name: 'write', arguments: { path: 'x', content: long } }],
  };

  it('is read back byte for byte, wherever it stood, while the row stays small', async () => {
    const streamId = await appended(data);
    const [event] = await store.read(streamId);
    expect(event!.data).toEqual(data);
    const { rows } = await pools.owner.query<{ data: string }>(
      'SELECT data::text FROM phaseline.events WHERE stream_id = $1',
      [streamId],
    );
    expect(rows[0]!.data.length).toBeLessThan(4_000);
    expect(largeTextsOf(event!.metadata)).toEqual([
      { at: ['content'], hash: sha256(long), size: Buffer.byteLength(long) },
      { at: ['calls', 1, 'arguments', 'content'], hash: sha256(long), size: Buffer.byteLength(long) },
    ]);
    expect((await store.blobs.get(sha256(long)))!.toString('utf8')).toBe(long);
  });

  it('is a preview with its blob for readers of lists and of the tail', async () => {
    const streamId = await appended(data);
    const shown = (await store.readCorrelation(`of-${streamId}`))[0]!.data['content'] as string;
    expect(shown.length).toBeLessThan(1_200);
    expect(long.startsWith(shown.slice(0, 900))).toBe(true);
    expect(shown).toContain(`blob ${sha256(long)}`);
    expect((await store.readCorrelation(`of-${streamId}`, { texts: 'whole' }))[0]!.data).toEqual(data);

    const seen: RecordedEvent[] = [];
    const subscription = new Subscription(pools.service, {
      name: 'previews',
      pollMs: 10,
      handle: async (events) => void seen.push(...events),
    });
    await subscription.start();
    const tailed = await eventually(() => seen.find((event) => event.streamId === streamId));
    await subscription.close();
    expect(tailed.data['content']).toBe(shown);
  });

  it('is covered by the chain, as the reference that it is', async () => {
    await appended(data);
    expect(await verifyChain(pools.service)).toMatchObject({ problems: [] });
  });

  it('is stored in the commit of its event, and not when that is refused', async () => {
    const mine = `${long}${Math.random()}`;
    const streamId = freshStream();
    const append = appendTo(streamId, { expectedVersion: 7, events: [newEvent({ data: { content: mine } })] });
    await expect(store.append(append)).rejects.toThrow(/version/);
    expect(await store.blobs.has([sha256(mine)])).toEqual(new Set());
  });

  it('costs no blob when it is as long as allowed, and is mended like any other when it is not text', async () => {
    const before = await count('blobs');
    const short = await appended({ content: 'x'.repeat(LARGE_TEXT) });
    expect(await count('blobs')).toBe(before);
    expect((await store.read(short))[0]!.metadata).not.toHaveProperty([LARGE_TEXTS]);
    const odd = await appended({ content: `\0\ud800${'y'.repeat(LARGE_TEXT)}` });
    expect((await store.read(odd))[0]!.data['content']).toBe(`\ufffd\ufffd${'y'.repeat(LARGE_TEXT)}`);
  });

  it('that is missing stops the reading, and names the place', async () => {
    const mine = `gone ${long}`;
    const streamId = await appended({ content: mine });
    await pools.owner.query('ALTER TABLE phaseline.blobs DISABLE TRIGGER USER');
    await pools.owner.query('DELETE FROM phaseline.blobs WHERE hash = $1', [Buffer.from(sha256(mine), 'hex')]);
    await expect(store.read(streamId)).rejects.toThrow(LargeTextMissing);
    await expect(store.read(streamId)).rejects.toThrow(new RegExp(`event 1 of stream ${streamId}`));
  });
});

describe('what a model or a tool writes', () => {
  it('cannot pass for a reference', async () => {
    const secret = await store.blobs.put(Buffer.from('of another job'));
    const data = { content: { [LARGE_TEXTS]: [{ at: ['content'], hash: secret, size: 14 }], $blob: secret } };
    expect((await store.read(await appended(data)))[0]!.data).toEqual(data);
    const forged = newEvent({ metadata: { [LARGE_TEXTS]: [{ at: ['id'], hash: secret, size: 14 }] } });
    await expect(store.append(appendTo(freshStream(), { events: [forged] }))).rejects.toThrow(InvalidAppend);
  });
});

it('asks the database once for an append, and once for a read, with large texts or without', async () => {
  let queries = 0;
  const counted = new EventStore(
    new Proxy(pools.service, {
      get: (pool, key) => {
        if (key === 'query') queries += 1;
        const member: unknown = Reflect.get(pool, key);
        return typeof member === 'function' ? member.bind(pool) : member;
      },
    }),
  );
  const queriesOf = async (action: () => Promise<unknown>): Promise<number> => {
    queries = 0;
    await action();
    return queries;
  };
  const [small, large] = [freshStream(), freshStream()];
  expect(await queriesOf(() => counted.append(appendTo(small)))).toBe(1);
  expect(
    await queriesOf(() => counted.append(appendTo(large, { events: [newEvent({ data: { content: long } })] }))),
  ).toBe(1);
  expect(await queriesOf(() => counted.read(small))).toBe(1);
  expect(await queriesOf(() => counted.read(large))).toBe(2);
});
