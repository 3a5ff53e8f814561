import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHAIN_START,
  createPool,
  eventHash,
  EventStore,
  FOLLOWERS_OF_END,
  type EventLog,
  type NewEvent,
  type StreamAppend,
} from '@phaseline/event-store';
import { openStore, type OpenStore } from '../../engine/open-store.js';
import { MemoryLog } from './memory-log.js';

let opened: OpenStore;
/** Without the check by schemas: the events here stand for any. */
let store: EventStore;
let pool: ReturnType<typeof createPool>;
beforeAll(async () => {
  opened = await openStore();
  pool = createPool(opened.url);
  store = new EventStore(pool);
});
afterAll(async () => {
  await pool.end();
  await opened.close();
});

const logs: [string, () => EventLog][] = [
  ['PostgreSQL', () => store],
  ['memory', () => new MemoryLog(() => Date.now())],
];

let streams = 0;
const fresh = (): string => `stream-${(streams += 1)}`;
const event = (fields: Partial<NewEvent> = {}): NewEvent => ({
  eventId: randomUUID(),
  type: 'Happened',
  schemaVersion: 1,
  data: { what: 'it' },
  metadata: { actor: 'spec' },
  ...fields,
});
const to = (streamId: string, fields: Partial<StreamAppend> = {}): StreamAppend => ({
  streamId,
  correlationId: 'job',
  expectedVersion: 'any',
  events: [event()],
  ...fields,
});
const blobOf = (text: string): { hash: string; content: Uint8Array } => ({
  hash: createHash('sha256').update(text).digest('hex'),
  content: Buffer.from(text),
});
const types = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

describe.each(logs)('the event log in %s', (_name, make) => {
  let log: EventLog;
  beforeAll(() => {
    log = make();
  });

  it('numbers the events of a stream from 1 and tells them as they were given', async () => {
    const streamId = fresh();
    const [result] = await log.append(
      to(streamId, { expectedVersion: 0, events: [event({ data: { n: 1 } }), event()] }),
    );
    expect(result).toMatchObject({ streamId, version: 2, alreadyDone: false });
    const [first, second] = await log.read(streamId);
    expect(first).toMatchObject({ version: 1, data: { n: 1 }, metadata: { actor: 'spec' }, correlationId: 'job' });
    expect(second).toMatchObject({ version: 2, hash: result!.hash, position: result!.position });
    expect(await log.head(streamId)).toMatchObject({ streamId, version: 2, closed: false, hash: result!.hash });
    expect(await log.head('nowhere')).toBeUndefined();
  });

  it.each([
    ['behind', 0, 1],
    ['ahead', 5, 1],
  ])('refuses a version that is %s', async (_what, expectedVersion, actual) => {
    const streamId = fresh();
    await log.append(to(streamId));
    await expect(log.append(to(streamId, { expectedVersion }))).rejects.toMatchObject({
      code: 'WRONG_EXPECTED_VERSION',
      streamId,
      expected: expectedVersion,
      actual,
    });
    expect(await log.read(streamId)).toHaveLength(1);
  });

  it('refuses everything behind the last word, whatever version is expected, until the stream is opened again', async () => {
    const streamId = fresh();
    await log.append(to(streamId, { closesStream: true }));
    const closed = { code: 'STREAM_CLOSED', streamId, version: 1 };
    await expect(log.append(to(streamId))).rejects.toMatchObject(closed);
    await expect(log.append(to(streamId, { expectedVersion: 7 }))).rejects.toMatchObject(closed);
    await log.append(to(streamId, { reopensStream: true, expectedVersion: 1 }));
    await log.append(to(streamId, { expectedVersion: 2 }));
    expect(await log.head(streamId)).toMatchObject({ version: 3, closed: false });
  });

  const named = (streamId: string, names: readonly string[], fields: Partial<StreamAppend> = {}): StreamAppend =>
    to(streamId, { ...fields, events: names.map((type) => event({ type })) });

  it('closes a stream at its end, whatever the caller says', async () => {
    for (const end of Object.keys(FOLLOWERS_OF_END)) {
      const streamId = fresh();
      await log.append(named(streamId, ['Happened', end], { closesStream: false }));
      expect(await log.head(streamId), end).toMatchObject({ version: 2, closed: true });
      await expect(log.append(to(streamId)), end).rejects.toMatchObject({
        code: 'STREAM_CLOSED',
        streamId,
        version: 2,
      });
    }
  });

  it('takes behind an end only what may follow it, also where the caller opens the stream again', async () => {
    const followers = [...Object.keys(FOLLOWERS_OF_END), 'JobRetried', 'Happened'];
    for (const [end, allowed] of Object.entries<readonly string[]>(FOLLOWERS_OF_END))
      for (const next of followers) {
        const streamId = fresh();
        await log.append(named(streamId, [end]));
        const attempt = log.append(named(streamId, [next], { reopensStream: true, expectedVersion: 1 }));
        if (allowed.includes(next)) await attempt;
        else
          await expect(attempt, `${end} ${next}`).rejects.toMatchObject({
            code: 'STREAM_CLOSED',
            streamId,
            version: 1,
          });
        expect(await log.read(streamId)).toHaveLength(allowed.includes(next) ? 2 : 1);
      }
  });

  it('takes nothing behind an end within one append, and nothing else of that append', async () => {
    const [left, right] = [fresh(), fresh()];
    const refused = { code: 'STREAM_CLOSED', streamId: right, version: 0 };
    const turned = named(right, ['Happened', 'JobCompleted', 'JobFailed']);
    await expect(log.append(turned)).rejects.toMatchObject(refused);
    await expect(log.append([to(left), turned])).rejects.toMatchObject(refused);
    expect([await log.read(left), await log.read(right)]).toEqual([[], []]);
    // A retry may stand right behind its failure, and opens the job.
    await log.append(named(left, ['JobFailed', 'JobRetried', 'Happened']));
    expect(await log.head(left)).toMatchObject({ version: 3, closed: false });
  });

  it('recognises an append that it has, even at a version that has passed and behind the last word', async () => {
    const streamId = fresh();
    const once = to(streamId, { expectedVersion: 0 });
    const [first] = await log.append(once);
    await log.append(to(streamId, { closesStream: true }));
    const [again] = await log.append(once);
    expect(again).toEqual({ ...first, alreadyDone: true });
    expect(await log.read(streamId)).toHaveLength(2);
  });

  it('recognises an event of the same id with another content, and keeps the first', async () => {
    const streamId = fresh();
    const eventId = randomUUID();
    await log.append(to(streamId, { events: [event({ eventId, data: { by: 'first' } })] }));
    const [again] = await log.append(to(streamId, { events: [event({ eventId, data: { by: 'second' } })] }));
    expect(again?.alreadyDone).toBe(true);
    expect((await log.readAt(streamId, 1))?.data).toEqual({ by: 'first' });
  });

  it('refuses an append of which it has only a part, and one whose event stands elsewhere', async () => {
    const [streamId, other] = [fresh(), fresh()];
    const known = event();
    await log.append(to(streamId, { events: [known] }));
    const duplicate = { code: 'DUPLICATE_EVENT_ID', eventId: known.eventId };
    await expect(log.append(to(streamId, { expectedVersion: 9, events: [event(), known] }))).rejects.toMatchObject({
      ...duplicate,
      streamId,
    });
    await expect(log.append(to(other, { events: [known] }))).rejects.toMatchObject({ ...duplicate, streamId: other });
  });

  it('takes a unit of several streams as a whole or not at all, with its blobs', async () => {
    const [left, right] = [fresh(), fresh()];
    const refused = blobOf(`refused ${left}`);
    const unit = [to(left, { expectedVersion: 0 }), to(right, { expectedVersion: 1 })];
    await expect(log.append(unit, { blobs: [refused] })).rejects.toMatchObject({ streamId: right, actual: 0 });
    expect(await log.read(left)).toEqual([]);
    expect(await log.blobs.get(refused.hash)).toBeUndefined();
    const taken = blobOf(`taken ${left}`);
    const results = await log.append([to(left, { expectedVersion: 0 }), to(right)], { blobs: [taken] });
    expect(results.map(({ streamId }) => streamId)).toEqual([left, right]);
    expect(Buffer.from((await log.blobs.get(taken.hash))!).toString()).toBe(`taken ${left}`);
    expect(await log.blobs.has([taken.hash, refused.hash])).toEqual(new Set([taken.hash]));
  });

  it('keeps a stream in its correlation', async () => {
    const streamId = fresh();
    await log.append(to(streamId));
    const elsewhere = to(streamId, { correlationId: 'another', expectedVersion: 9 });
    await expect(log.append(elsewhere)).rejects.toMatchObject({ code: 'CORRELATION_MISMATCH', streamId });
  });

  it.each<[string, StreamAppend | StreamAppend[]]>([
    ['no event', to('s', { events: [] })],
    ['no stream', []],
    ['a stream twice', [to('s'), to('s')]],
    ['an id that is no uuid', to('s', { events: [event({ eventId: 'x' })] })],
    ['a name with a blank', to('a stream')],
  ])('refuses what cannot be right: %s', async (_what, append) => {
    await expect(log.append(append)).rejects.toMatchObject({ code: 'INVALID_APPEND' });
  });

  it('mends text that cannot be stored', async () => {
    const streamId = fresh();
    await log.append(to(streamId, { events: [event({ data: { text: 'a\0b\ud800c' } })] }));
    expect((await log.readAt(streamId, 1))?.data).toEqual({ text: 'a\ufffdb\ufffdc' });
  });

  it('reads a part of a stream, and a correlation in the order of commits', async () => {
    const [left, right] = [fresh(), fresh()];
    const correlationId = `of-${left}`;
    const typed = (...names: string[]): Partial<StreamAppend> => ({
      correlationId,
      events: names.map((type) => event({ type })),
    });
    await log.append(to(left, typed('A', 'B')));
    await log.append(to(right, typed('C')));
    await log.append(to(left, typed('D', 'E')));
    expect(types(await log.read(left, { from: 2, to: 3 }))).toEqual(['B', 'D']);
    expect(types(await log.read(left, { from: 2, limit: 1 }))).toEqual(['B']);
    expect(types(await log.read(left, { from: 9 }))).toEqual([]);
    expect(await log.readAt(left, 9)).toBeUndefined();
    const first = (await log.readAt(left, 1))!;
    expect(await log.find(first.eventId)).toMatchObject({ streamId: left, version: 1, type: first.type });
    expect(await log.find(randomUUID())).toBeUndefined();
    const all = await log.readCorrelation(correlationId);
    expect(types(all)).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(types(await log.readCorrelation(correlationId, { after: all[1]!.position, to: all[3]!.position }))).toEqual([
      'C',
      'D',
    ]);
    expect(types(await log.readCorrelation(correlationId, { types: ['A', 'E'] }))).toEqual(['A', 'E']);
    expect(types(await log.readCorrelation(correlationId, { limit: 2 }))).toEqual(['A', 'B']);
    const iterated: string[] = [];
    for await (const { type } of log.iterate(left)) iterated.push(type);
    expect(iterated).toEqual(['A', 'B', 'D', 'E']);
  });

  it('lists open streams by id, a page at a time, without those that were written to lately', async () => {
    const prefix = `open-${fresh()}-`;
    for (const name of ['c', 'a', 'b', 'closed'])
      await log.append(to(prefix + name, { closesStream: name === 'closed' }));
    const page = (after?: string): Promise<string[]> =>
      log
        .openStreams({ prefix, idleForMs: 0, limit: 2, ...(after === undefined ? {} : { after }) })
        .then((heads) => heads.map(({ streamId }) => streamId.slice(prefix.length)));
    expect(await page()).toEqual(['a', 'b']);
    expect(await page(`${prefix}b`)).toEqual(['c']);
    expect(await log.openStreams({ prefix, idleForMs: 60_000, limit: 9 })).toEqual([]);
  });

  it('chains the hashes of a stream over the stored texts', async () => {
    const streamId = fresh();
    await log.append(to(streamId, { events: [event({ data: { ü: [1, 0.5, null, 'ß'] } }), event()] }));
    let hash: Buffer = CHAIN_START;
    for (const recorded of await log.read(streamId)) {
      hash = eventHash(hash, {
        ...recorded,
        data: JSON.stringify(recorded.data),
        metadata: JSON.stringify(recorded.metadata),
      });
      expect(recorded.hash).toBe(hash.toString('hex'));
      expect(recorded.recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    }
  });
});
