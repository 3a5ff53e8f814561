import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { InvalidAppend } from '../append/append-errors.js';
import { verifyChain } from '../chain/verify-chain.js';
import { EventStore } from '../event-store.js';
import { Subscription } from '../tail/subscription.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { appendTo, waitUntil, createStreamId, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { LargeTextMissing } from './large-text-errors.js';
import { LARGE_TEXT_CHARACTERS, LARGE_TEXTS_KEY, getLargeTexts } from './large-text.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = new EventStore(pools.service);
});

const long = 'Größe 🙂\r\n\t"\\u0000" '.repeat(2_000);
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const countRows = async (table: string): Promise<number> =>
  Number((await pools.owner.query<{ count: string }>(`SELECT count(*) FROM phaseline.${table}`)).rows[0]!.count);

async function appendData(data: RecordedEvent['data']): Promise<string> {
  const streamId = createStreamId();
  await store.append(appendTo(streamId, { events: [newEvent({ data })] }));
  return streamId;
}

describe('a text above the limit', () => {
  const data: RecordedEvent['data'] = {
    note: 'short',
    content: long,
    calls: [{ name: 'a' }, { name: 'write', arguments: { path: 'x', content: long } }],
  };

  it('is restored byte for byte on reading, while its row stays small', async () => {
    const streamId = await appendData(data);
    const [event] = await store.read(streamId);
    expect(event!.data).toEqual(data);
    const { rows } = await pools.owner.query<{ data: string }>(
      'SELECT data::text FROM phaseline.events WHERE stream_id = $1',
      [streamId],
    );
    expect(rows[0]!.data.length).toBeLessThan(4_000);
    expect(getLargeTexts(event!.metadata)).toEqual([
      { at: ['content'], hash: sha256(long), size: Buffer.byteLength(long) },
      { at: ['calls', 1, 'arguments', 'content'], hash: sha256(long), size: Buffer.byteLength(long) },
    ]);
    expect((await store.blobs.get(sha256(long)))!.toString('utf8')).toBe(long);
  });

  it('is a preview in lists and subscriptions', async () => {
    const streamId = await appendData(data);
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
    const tailed = await waitUntil(() => seen.find((event) => event.streamId === streamId));
    await subscription.close();
    expect(tailed.data['content']).toBe(shown);
  });

  it('is covered by the hash chain', async () => {
    await appendData(data);
    expect(await verifyChain(pools.service)).toMatchObject({ problems: [] });
  });

  it('is not stored if the append is rejected', async () => {
    const text = `${long}${Math.random()}`;
    const streamId = createStreamId();
    const append = appendTo(streamId, { expectedVersion: 7, events: [newEvent({ data: { content: text } })] });
    await expect(store.append(append)).rejects.toThrow(/version/);
    expect(await store.blobs.has([sha256(text)])).toEqual(new Set());
  });

  it('at the limit needs no blob, and a larger one has invalid characters replaced', async () => {
    const before = await countRows('blobs');
    const short = await appendData({ content: 'x'.repeat(LARGE_TEXT_CHARACTERS) });
    expect(await countRows('blobs')).toBe(before);
    expect((await store.read(short))[0]!.metadata).not.toHaveProperty([LARGE_TEXTS_KEY]);
    const malformed = await appendData({ content: `\0\ud800${'y'.repeat(LARGE_TEXT_CHARACTERS)}` });
    expect((await store.read(malformed))[0]!.data['content']).toBe(`\ufffd\ufffd${'y'.repeat(LARGE_TEXT_CHARACTERS)}`);
  });

  it('that is missing makes reading fail with an error that names the event', async () => {
    const text = `gone ${long}`;
    const streamId = await appendData({ content: text });
    await pools.owner.query('ALTER TABLE phaseline.blobs DISABLE TRIGGER USER');
    await pools.owner.query('DELETE FROM phaseline.blobs WHERE hash = $1', [Buffer.from(sha256(text), 'hex')]);
    await expect(store.read(streamId)).rejects.toThrow(LargeTextMissing);
    await expect(store.read(streamId)).rejects.toThrow(new RegExp(`event 1 of stream ${streamId}`));
  });
});

describe('text written by a model or a tool', () => {
  it('cannot be mistaken for a reference to a blob', async () => {
    const secret = await store.blobs.put(Buffer.from('of another job'));
    const data = { content: { [LARGE_TEXTS_KEY]: [{ at: ['content'], hash: secret, size: 14 }], $blob: secret } };
    expect((await store.read(await appendData(data)))[0]!.data).toEqual(data);
    const forged = newEvent({ metadata: { [LARGE_TEXTS_KEY]: [{ at: ['id'], hash: secret, size: 14 }] } });
    await expect(store.append(appendTo(createStreamId(), { events: [forged] }))).rejects.toThrow(InvalidAppend);
  });
});

it('needs one query per append, one per read, and one more per read with large texts', async () => {
  let queries = 0;
  const countingStore = new EventStore(
    new Proxy(pools.service, {
      get: (pool, key) => {
        if (key === 'query') queries += 1;
        const member: unknown = Reflect.get(pool, key);
        return typeof member === 'function' ? member.bind(pool) : member;
      },
    }),
  );
  const countQueries = async (action: () => Promise<unknown>): Promise<number> => {
    queries = 0;
    await action();
    return queries;
  };
  const [small, large] = [createStreamId(), createStreamId()];
  expect(await countQueries(() => countingStore.append(appendTo(small)))).toBe(1);
  expect(
    await countQueries(() =>
      countingStore.append(appendTo(large, { events: [newEvent({ data: { content: long } })] })),
    ),
  ).toBe(1);
  expect(await countQueries(() => countingStore.read(small))).toBe(1);
  expect(await countQueries(() => countingStore.read(large))).toBe(2);
});
