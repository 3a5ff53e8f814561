import { beforeAll, expect, it } from 'vitest';
import { useTestDatabase } from '@phaseline/event-store/testing';
import { DeadLetters, type NewDeadLetter } from './dead-letters.js';

const pools = useTestDatabase();
let deadLetters: DeadLetters;
beforeAll(() => {
  deadLetters = new DeadLetters(pools.service);
});

const createDeadLetter = (fields: Partial<NewDeadLetter> = {}): NewDeadLetter => ({
  queue: 'tools',
  messageId: 'm-1',
  payload: { json: { jobId: '1' } },
  reason: 'three attempts failed',
  attempts: 3,
  ...fields,
});

it('stores a JSON payload as JSON and any other payload as text', async () => {
  const json = await deadLetters.add(createDeadLetter());
  const nothing = await deadLetters.add(createDeadLetter({ payload: { json: null } }));
  const text = await deadLetters.add(createDeadLetter({ payload: { text: '{"half":' }, messageId: 'm-2' }));
  expect(await deadLetters.get(json)).toMatchObject({ ...createDeadLetter(), id: json, retriedAt: undefined });
  expect((await deadLetters.get(nothing))?.payload).toEqual({ json: null });
  expect((await deadLetters.get(text))?.payload).toEqual({ text: '{"half":' });
  expect(await deadLetters.get(0)).toBeUndefined();
});

it('replaces characters that PostgreSQL rejects', async () => {
  const id = await deadLetters.add(
    createDeadLetter({ reason: 'bad \0 byte', payload: { text: '\ud800\0' }, messageId: 'm\0' }),
  );
  expect(await deadLetters.get(id)).toMatchObject({
    reason: 'bad \uFFFD byte',
    payload: { text: '\uFFFD\uFFFD' },
    messageId: 'm\uFFFD',
  });
});

it('lists dead letters newest first and in pages, without retried ones', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 5; n += 1)
    ids.push(await deadLetters.add(createDeadLetter({ queue: 'paged', messageId: String(n) })));
  expect(await deadLetters.markRetried(ids[2]!)).toBe(true);
  const first = await deadLetters.list({ queue: 'paged', limit: 3 });
  expect(first.deadLetters.map(({ id }) => id)).toEqual([ids[4], ids[3], ids[1]]);
  const second = await deadLetters.list({ queue: 'paged', limit: 3, cursor: first.cursor! });
  expect(second).toMatchObject({ deadLetters: [{ id: ids[0] }], cursor: undefined });
  const all = await deadLetters.list({ queue: 'paged', includeClosed: true });
  expect(all.deadLetters).toHaveLength(5);
  expect(all.deadLetters[2]?.retriedAt).toMatch(/^\d{4}-/);
  expect(await deadLetters.count()).toMatchObject({ paged: 4 });
});

it('lets only one of several concurrent callers retry a dead letter', async () => {
  const id = await deadLetters.add(createDeadLetter());
  const results = await Promise.all([
    deadLetters.markRetried(id),
    deadLetters.markRetried(id),
    deadLetters.markRetried(id),
  ]);
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await deadLetters.markRetried(0)).toBe(false);
});

it('stores a dead letter once, even if a process dies before it removes the message and stores it again', async () => {
  const once = createDeadLetter({ queue: 'once', enqueuedAt: '2030-01-01T00:00:00.123Z' });
  const id = await deadLetters.add(once);
  expect(await deadLetters.add({ ...once, reason: 'stored again' })).toBe(id);
  expect(await deadLetters.get(id)).toMatchObject({ reason: once.reason, enqueuedAt: once.enqueuedAt });
  // A message sent later with the same id is a different message.
  expect(await deadLetters.add({ ...once, enqueuedAt: '2030-01-01T00:00:01.000Z' })).not.toBe(id);
  expect(await deadLetters.count()).toMatchObject({ once: 2 });
});

it('reports messages that were dead-lettered repeatedly under one id, until they are marked as handled', async () => {
  for (const second of [1, 2, 3]) {
    const enqueuedAt = `2030-01-01T00:00:0${second}.000Z`;
    await deadLetters.add(
      createDeadLetter({ queue: 'again', messageId: 'a', enqueuedAt, reason: `failure ${second}` }),
    );
    if (second < 3) await deadLetters.add(createDeadLetter({ queue: 'again', messageId: 'b', enqueuedAt }));
  }
  const repeatedAtLeast = async (times: number) => {
    const all = await deadLetters.findRepeated(times);
    return all.filter(({ queue }) => queue === 'again').map(({ messageId, count: count }) => [messageId, count]);
  };
  expect(await repeatedAtLeast(2)).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
  expect((await deadLetters.findRepeated(3)).find(({ queue }) => queue === 'again')).toMatchObject({
    reason: 'failure 3',
  });
  expect(await deadLetters.markHandled([{ queue: 'again', messageId: 'a' }])).toBe(3);
  expect(await repeatedAtLeast(2)).toEqual([['b', 2]]);
});

it('closes a discarded dead letter: it cannot be retried, but can still be read', async () => {
  const id = await deadLetters.add(createDeadLetter({ queue: 'unwanted' }));
  await deadLetters.add(createDeadLetter({ queue: 'unwanted', messageId: 'kept' }));
  expect(await deadLetters.markDiscarded(id, { actor: 'ada', reason: 'sent twice' })).toBe(true);
  expect(await deadLetters.markDiscarded(id)).toBe(false);
  expect(await deadLetters.markRetried(id)).toBe(false);
  expect(await deadLetters.count()).toMatchObject({ unwanted: 1 });
  expect((await deadLetters.list({ queue: 'unwanted' })).deadLetters.map(({ messageId }) => messageId)).toEqual([
    'kept',
  ]);
  expect(await deadLetters.get(id)).toMatchObject({
    discardedAt: expect.stringMatching(/^\d{4}-/),
    discardedBy: 'ada',
    discardReason: 'sent twice',
    retriedAt: undefined,
  });
});

it('does not count discarded dead letters as repeated', async () => {
  const ids: number[] = [];
  for (const second of [1, 2]) {
    const enqueuedAt = `2030-01-01T00:00:0${second}.000Z`;
    ids.push(await deadLetters.add(createDeadLetter({ queue: 'dropped', messageId: 'a', enqueuedAt })));
  }
  await deadLetters.markDiscarded(ids[0]!);
  expect((await deadLetters.findRepeated(2)).filter(({ queue }) => queue === 'dropped')).toEqual([]);
  expect(await deadLetters.markHandled([{ queue: 'dropped', messageId: 'a' }])).toBe(1);
});

it('lists all dead letters of a message, open and closed, newest first', async () => {
  const ids: number[] = [];
  for (const second of [1, 2, 3])
    ids.push(
      await deadLetters.add(
        createDeadLetter({ queue: 'history', messageId: 'a', enqueuedAt: `2030-01-01T00:00:0${second}.000Z` }),
      ),
    );
  await deadLetters.add(createDeadLetter({ queue: 'history', messageId: 'b' }));
  await deadLetters.add(createDeadLetter({ queue: 'other', messageId: 'a' }));
  await deadLetters.markRetried(ids[0]!);
  await deadLetters.markDiscarded(ids[1]!);
  const found = await deadLetters.listOfMessage('history', 'a');
  expect(found.map(({ id }) => id)).toEqual([ids[2], ids[1], ids[0]]);
  expect(await deadLetters.listOfMessage('history', 'a', 2)).toHaveLength(2);
});
