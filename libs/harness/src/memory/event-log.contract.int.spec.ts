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
import { openStore, type OpenStore } from '../engine/open-store.js';
import { MemoryLog } from '@phaseline/memory-log';

let opened: OpenStore;
/** Without schema checks, because the events here are arbitrary. */
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
const newStreamId = (): string => `stream-${(streams += 1)}`;
const event = (fields: Partial<NewEvent> = {}): NewEvent => ({
  eventId: randomUUID(),
  type: 'Happened',
  schemaVersion: 1,
  data: { what: 'it' },
  metadata: { actor: 'spec' },
  ...fields,
});
const appendTo = (streamId: string, fields: Partial<StreamAppend> = {}): StreamAppend => ({
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
const eventTypes = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

describe.each(logs)('the event log in %s', (_name, create) => {
  let log: EventLog;
  beforeAll(() => {
    log = create();
  });

  it('numbers the events of a stream from 1 and returns them as appended', async () => {
    const streamId = newStreamId();
    const [result] = await log.append(
      appendTo(streamId, { expectedVersion: 0, events: [event({ data: { n: 1 } }), event()] }),
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
    const streamId = newStreamId();
    await log.append(appendTo(streamId));
    await expect(log.append(appendTo(streamId, { expectedVersion }))).rejects.toMatchObject({
      code: 'wrong_expected_version',
      streamId,
      expected: expectedVersion,
      actual,
    });
    expect(await log.read(streamId)).toHaveLength(1);
  });

  it('refuses every append to a closed stream, with any expected version, until it is reopened', async () => {
    const streamId = newStreamId();
    await log.append(appendTo(streamId, { closesStream: true }));
    const closed = { code: 'stream_closed', streamId, version: 1 };
    await expect(log.append(appendTo(streamId))).rejects.toMatchObject(closed);
    await expect(log.append(appendTo(streamId, { expectedVersion: 7 }))).rejects.toMatchObject(closed);
    await log.append(appendTo(streamId, { reopensStream: true, expectedVersion: 1 }));
    await log.append(appendTo(streamId, { expectedVersion: 2 }));
    expect(await log.head(streamId)).toMatchObject({ version: 3, closed: false });
  });

  const appendOfTypes = (
    streamId: string,
    names: readonly string[],
    fields: Partial<StreamAppend> = {},
  ): StreamAppend => appendTo(streamId, { ...fields, events: names.map((type) => event({ type })) });

  it('closes a stream at its end event, regardless of what the caller requests', async () => {
    for (const end of Object.keys(FOLLOWERS_OF_END)) {
      const streamId = newStreamId();
      await log.append(appendOfTypes(streamId, ['Happened', end], { closesStream: false }));
      expect(await log.head(streamId), end).toMatchObject({ version: 2, closed: true });
      await expect(log.append(appendTo(streamId)), end).rejects.toMatchObject({
        code: 'stream_closed',
        streamId,
        version: 2,
      });
    }
  });

  it('accepts after an end event only what may follow it, even if the caller reopens the stream', async () => {
    const followers = [...Object.keys(FOLLOWERS_OF_END), 'JobRetried', 'Happened'];
    for (const [end, allowed] of Object.entries<readonly string[]>(FOLLOWERS_OF_END))
      for (const next of followers) {
        const streamId = newStreamId();
        await log.append(appendOfTypes(streamId, [end]));
        const attempt = log.append(appendOfTypes(streamId, [next], { reopensStream: true, expectedVersion: 1 }));
        if (allowed.includes(next)) await attempt;
        else
          await expect(attempt, `${end} ${next}`).rejects.toMatchObject({
            code: 'stream_closed',
            streamId,
            version: 1,
          });
        expect(await log.read(streamId)).toHaveLength(allowed.includes(next) ? 2 : 1);
      }
  });

  it('refuses all of an append that continues after an end event', async () => {
    const [left, right] = [newStreamId(), newStreamId()];
    const refused = { code: 'stream_closed', streamId: right, version: 0 };
    const turned = appendOfTypes(right, ['Happened', 'JobCompleted', 'JobFailed']);
    await expect(log.append(turned)).rejects.toMatchObject(refused);
    await expect(log.append([appendTo(left), turned])).rejects.toMatchObject(refused);
    expect([await log.read(left), await log.read(right)]).toEqual([[], []]);
    // A retry may directly follow the failure and reopens the job.
    await log.append(appendOfTypes(left, ['JobFailed', 'JobRetried', 'Happened']));
    expect(await log.head(left)).toMatchObject({ version: 3, closed: false });
  });

  it('recognises a repeated append, even with an old expected version and on a closed stream', async () => {
    const streamId = newStreamId();
    const firstAppend = appendTo(streamId, { expectedVersion: 0 });
    const [first] = await log.append(firstAppend);
    await log.append(appendTo(streamId, { closesStream: true }));
    const [repeated] = await log.append(firstAppend);
    expect(repeated).toEqual({ ...first, alreadyDone: true });
    expect(await log.read(streamId)).toHaveLength(2);
  });

  it('keeps the first of two events with the same id and different content', async () => {
    const streamId = newStreamId();
    const eventId = randomUUID();
    await log.append(appendTo(streamId, { events: [event({ eventId, data: { by: 'first' } })] }));
    const [repeated] = await log.append(appendTo(streamId, { events: [event({ eventId, data: { by: 'second' } })] }));
    expect(repeated?.alreadyDone).toBe(true);
    expect((await log.readAt(streamId, 1))?.data).toEqual({ by: 'first' });
  });

  it('refuses an append of which it has only a part, and one whose event is in another stream', async () => {
    const [streamId, other] = [newStreamId(), newStreamId()];
    const known = event();
    await log.append(appendTo(streamId, { events: [known] }));
    const duplicate = { code: 'duplicate_event_id', eventId: known.eventId };
    await expect(
      log.append(appendTo(streamId, { expectedVersion: 9, events: [event(), known] })),
    ).rejects.toMatchObject({
      ...duplicate,
      streamId,
    });
    await expect(log.append(appendTo(other, { events: [known] }))).rejects.toMatchObject({
      ...duplicate,
      streamId: other,
    });
  });

  it('appends to several streams atomically, including the blobs', async () => {
    const [left, right] = [newStreamId(), newStreamId()];
    const refused = blobOf(`refused ${left}`);
    const unit = [appendTo(left, { expectedVersion: 0 }), appendTo(right, { expectedVersion: 1 })];
    await expect(log.append(unit, { blobs: [refused] })).rejects.toMatchObject({ streamId: right, actual: 0 });
    expect(await log.read(left)).toEqual([]);
    expect(await log.blobs.get(refused.hash)).toBeUndefined();
    const taken = blobOf(`taken ${left}`);
    const results = await log.append([appendTo(left, { expectedVersion: 0 }), appendTo(right)], { blobs: [taken] });
    expect(results.map(({ streamId }) => streamId)).toEqual([left, right]);
    expect(Buffer.from((await log.blobs.get(taken.hash))!).toString()).toBe(`taken ${left}`);
    expect(await log.blobs.has([taken.hash, refused.hash])).toEqual(new Set([taken.hash]));
  });

  it('refuses events of another correlation', async () => {
    const streamId = newStreamId();
    await log.append(appendTo(streamId));
    const elsewhere = appendTo(streamId, { correlationId: 'another', expectedVersion: 9 });
    await expect(log.append(elsewhere)).rejects.toMatchObject({ code: 'correlation_mismatch', streamId });
  });

  it.each<[string, StreamAppend | StreamAppend[]]>([
    ['no event', appendTo('s', { events: [] })],
    ['no stream', []],
    ['a stream twice', [appendTo('s'), appendTo('s')]],
    ['an id that is not a UUID', appendTo('s', { events: [event({ eventId: 'x' })] })],
    ['a name with a space', appendTo('a stream')],
  ])('refuses an invalid append: %s', async (_what, append) => {
    await expect(log.append(append)).rejects.toMatchObject({ code: 'invalid_append' });
  });

  it('replaces characters that cannot be stored', async () => {
    const streamId = newStreamId();
    await log.append(appendTo(streamId, { events: [event({ data: { text: 'a\0b\ud800c' } })] }));
    expect((await log.readAt(streamId, 1))?.data).toEqual({ text: 'a\ufffdb\ufffdc' });
  });

  it('reads ranges of a stream, and a correlation in commit order', async () => {
    const [left, right] = [newStreamId(), newStreamId()];
    const correlationId = `of-${left}`;
    const typed = (...names: string[]): Partial<StreamAppend> => ({
      correlationId,
      events: names.map((type) => event({ type })),
    });
    await log.append(appendTo(left, typed('A', 'B')));
    await log.append(appendTo(right, typed('C')));
    await log.append(appendTo(left, typed('D', 'E')));
    expect(eventTypes(await log.read(left, { from: 2, to: 3 }))).toEqual(['B', 'D']);
    expect(eventTypes(await log.read(left, { from: 2, limit: 1 }))).toEqual(['B']);
    expect(eventTypes(await log.read(left, { from: 9 }))).toEqual([]);
    expect(await log.readAt(left, 9)).toBeUndefined();
    const first = (await log.readAt(left, 1))!;
    expect(await log.find(first.eventId)).toMatchObject({ streamId: left, version: 1, type: first.type });
    expect(await log.find(randomUUID())).toBeUndefined();
    const all = await log.readCorrelation(correlationId);
    expect(eventTypes(all)).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(
      eventTypes(await log.readCorrelation(correlationId, { after: all[1]!.position, to: all[3]!.position })),
    ).toEqual(['C', 'D']);
    expect(eventTypes(await log.readCorrelation(correlationId, { types: ['A', 'E'] }))).toEqual(['A', 'E']);
    expect(eventTypes(await log.readCorrelation(correlationId, { limit: 2 }))).toEqual(['A', 'B']);
    const iterated: string[] = [];
    for await (const { type } of log.iterate(left)) iterated.push(type);
    expect(iterated).toEqual(['A', 'B', 'D', 'E']);
  });

  it('lists open streams by id in pages, without those written to recently', async () => {
    const prefix = `open-${newStreamId()}-`;
    for (const name of ['c', 'a', 'b', 'closed'])
      await log.append(appendTo(prefix + name, { closesStream: name === 'closed' }));
    const page = (after?: string): Promise<string[]> =>
      log
        .openStreams({ prefix, idleForMs: 0, limit: 2, ...(after === undefined ? {} : { after }) })
        .then((heads) => heads.map(({ streamId }) => streamId.slice(prefix.length)));
    expect(await page()).toEqual(['a', 'b']);
    expect(await page(`${prefix}b`)).toEqual(['c']);
    expect(await log.openStreams({ prefix, idleForMs: 60_000, limit: 9 })).toEqual([]);
  });

  it('chains the hashes of a stream over the stored text', async () => {
    const streamId = newStreamId();
    await log.append(appendTo(streamId, { events: [event({ data: { ü: [1, 0.5, null, 'ß'] } }), event()] }));
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
