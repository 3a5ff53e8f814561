import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  AppendNotFirstWrite,
  CorrelationMismatch,
  DuplicateEventId,
  EventStoreClosed,
  InvalidAppend,
  StreamClosed,
  WrongExpectedVersion,
} from './append/append-errors.js';
import { BlobMismatch } from './blobs/blob-errors.js';
import { verifyChain } from './chain/verify-chain.js';
import { EventStore } from './event-store.js';
import { appendTo, createStreamId, newEvent, useTestDatabase } from './testing/store.fixture.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(() => {
  store = new EventStore(pools.service);
});

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
const blobOf = (text: string): { hash: string; content: Uint8Array } => ({
  hash: createHash('sha256').update(text).digest('hex'),
  content: Buffer.from(text),
});

describe('append', () => {
  it('stores events that read returns unchanged', async () => {
    const streamId = createStreamId();
    const event = newEvent({
      type: 'PhaseStarted',
      schemaVersion: 3,
      data: { b: 1, a: [1.5, '😀', null], text: 'x'.repeat(5_000) },
      metadata: { actor: 'a "quoted" one' },
    });
    const [result] = await store.append(
      appendTo(streamId, { correlationId: 'job', expectedVersion: 0, events: [event] }),
    );
    expect(result).toMatchObject({ streamId, version: 1, alreadyDone: false });
    const [recorded] = await store.read(streamId);
    expect(recorded).toEqual({
      ...event,
      streamId,
      version: 1,
      correlationId: 'job',
      position: result?.position,
      hash: result?.hash,
      recordedAt: result?.recordedAt,
      transactionId: expect.stringMatching(/^\d+$/) as string,
    });
    expect(recorded?.recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Object.keys(recorded?.data ?? {})).toEqual(['b', 'a', 'text']);
  });

  it('numbers versions consecutively across appends', async () => {
    const streamId = createStreamId();
    await store.append(appendTo(streamId, { expectedVersion: 0 }));
    const [result] = await store.append(
      appendTo(streamId, { expectedVersion: 1, events: Array.from({ length: 10 }, () => newEvent()) }),
    );
    expect(result?.version).toBe(11);
    await store.append(appendTo(streamId));
    const events = await store.read(streamId);
    expect(events.map((event) => event.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(await store.head(streamId)).toMatchObject({
      version: 12,
      hash: events[11]?.hash,
      closed: false,
      correlationId: `of-${streamId}`,
    });
  });

  it('rejects a wrong expected version: too low, too high, and for a new stream', async () => {
    const streamId = createStreamId();
    expect(await errorOf(store.append(appendTo(streamId, { expectedVersion: 2 })))).toMatchObject({
      code: 'wrong_expected_version',
      streamId,
      expected: 2,
      actual: 0,
    });
    await store.append(appendTo(streamId, { expectedVersion: 0 }));
    for (const expectedVersion of [0, 2]) {
      const error = await errorOf(store.append(appendTo(streamId, { expectedVersion })));
      expect(error).toBeInstanceOf(WrongExpectedVersion);
      expect(error).toMatchObject({ expected: expectedVersion, actual: 1 });
    }
    expect(await store.read(streamId)).toHaveLength(1);
  });

  it('is atomic across several streams', async () => {
    const [first, second, third] = [createStreamId(), createStreamId(), createStreamId()];
    await store.append(appendTo(second, { correlationId: 'j' }));
    const appendAll = (expectedVersion: number): Promise<unknown> =>
      store.append([
        appendTo(first, { correlationId: 'j', expectedVersion: 0 }),
        appendTo(second, { correlationId: 'j', expectedVersion }),
        appendTo(third, { correlationId: 'j' }),
      ]);
    expect(await errorOf(appendAll(7))).toMatchObject({ code: 'wrong_expected_version', streamId: second, actual: 1 });
    expect([await store.read(first), await store.read(third)]).toEqual([[], []]);
    expect(await appendAll(1)).toMatchObject([
      { streamId: first, version: 1 },
      { streamId: second, version: 2 },
      { streamId: third, version: 1 },
    ]);
  });

  it('rejects events for a closed stream', async () => {
    const streamId = createStreamId();
    await store.append(appendTo(streamId, { closesStream: true }));
    const error = await errorOf(store.append(appendTo(streamId)));
    expect(error).toBeInstanceOf(StreamClosed);
    expect(error).toMatchObject({ streamId, version: 1 });
    expect(await store.head(streamId)).toMatchObject({ closed: true, version: 1 });
  });

  it('rejects another correlation than that of the first event of the stream', async () => {
    const streamId = createStreamId();
    await store.append(appendTo(streamId));
    expect(await errorOf(store.append(appendTo(streamId, { correlationId: 'another' })))).toBeInstanceOf(
      CorrelationMismatch,
    );
  });

  it('rejects new appends after close, and completes earlier ones', async () => {
    const closing = new EventStore(pools.service);
    const streamId = createStreamId();
    const accepted = Promise.all(Array.from({ length: 20 }, () => closing.append(appendTo(streamId))));
    await closing.close();
    expect(await errorOf(closing.append(appendTo(streamId)))).toBeInstanceOf(EventStoreClosed);
    expect(await store.head(streamId)).toMatchObject({ version: 20 });
    await accepted;
  });
});

describe('a repeated append', () => {
  it.each([0, 'any'] as const)(
    'returns alreadyDone with the results of the first append (expected version: %s)',
    async (expectedVersion) => {
      const streamId = createStreamId();
      const append = appendTo(streamId, { expectedVersion, events: [newEvent(), newEvent()] });
      const [first] = await store.append(append);
      await store.append(appendTo(streamId, { closesStream: true }));
      expect(await store.append(append)).toEqual([{ ...first, alreadyDone: true }]);
      expect(await store.read(streamId)).toHaveLength(3);
    },
  );

  it('returns alreadyDone for several streams', async () => {
    const appends = [
      appendTo(createStreamId(), { correlationId: 'j' }),
      appendTo(createStreamId(), { correlationId: 'j', expectedVersion: 0 }),
    ];
    const first = await store.append(appends);
    expect(await store.append(appends)).toEqual(first.map((result) => ({ ...result, alreadyDone: true })));
  });

  it('writes once when made concurrently in one or several stores', async () => {
    const other = new EventStore(pools.service);
    const streamId = createStreamId();
    const append = appendTo(streamId, { events: [newEvent(), newEvent()] });
    const results = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? store : other).append(append)));
    expect(results.filter(([result]) => !result?.alreadyDone)).toHaveLength(1);
    expect(await store.read(streamId)).toHaveLength(2);
  });

  it('is rejected if only some of its events are in the log', async () => {
    const streamId = createStreamId();
    const old = newEvent();
    await store.append(appendTo(streamId, { events: [old] }));
    for (const events of [
      [old, newEvent()],
      [newEvent(), old],
    ]) {
      const error = await errorOf(store.append(appendTo(streamId, { events })));
      expect(error).toBeInstanceOf(DuplicateEventId);
      expect(error).toMatchObject({ streamId, eventId: old.eventId });
    }
    expect(await store.read(streamId)).toHaveLength(1);
  });

  it('is rejected if its events are in another stream, also of another correlation', async () => {
    const old = newEvent();
    await store.append(appendTo(createStreamId(), { events: [old] }));
    expect(await errorOf(store.append(appendTo(createStreamId(), { events: [old] })))).toBeInstanceOf(DuplicateEventId);
  });

  it('is recognised with event ids in upper case', async () => {
    const streamId = createStreamId();
    const event = newEvent();
    await store.append(appendTo(streamId, { events: [event] }));
    const [repeated] = await store.append(
      appendTo(streamId, { events: [{ ...event, eventId: event.eventId.toUpperCase() }] }),
    );
    expect(repeated?.alreadyDone).toBe(true);
  });
});

describe('text that PostgreSQL cannot store', () => {
  it('is replaced in data and metadata, so that JSON operators work', async () => {
    const streamId = createStreamId();
    await store.append(
      appendTo(streamId, { events: [newEvent({ data: { 'a\0': 'b\0c\ud800' }, metadata: { m: '\udfff' } })] }),
    );
    const [event] = await store.read(streamId);
    expect(event).toMatchObject({ data: { 'a\uFFFD': 'b\uFFFDc\uFFFD' }, metadata: { m: '\uFFFD' } });
    const { rows } = await pools.service.query(
      `SELECT data ->> $2 AS text FROM phaseline.events WHERE stream_id = $1`,
      [streamId, 'a\uFFFD'],
    );
    expect(rows).toEqual([{ text: 'b\uFFFDc\uFFFD' }]);
  });

  it.each([
    ['a stream id with a blank', { streamId: 'a b' }],
    ['a stream id with NUL', { streamId: 'a\0' }],
    ['an empty correlation id', { correlationId: '' }],
    ['an event id that is not a UUID', { events: [newEvent({ eventId: 'one' })] }],
    ['an event type with a lone surrogate', { events: [newEvent({ type: '\ud800' })] }],
    ['a schema version that is not an integer', { events: [newEvent({ schemaVersion: 1.5 })] }],
    ['data that is not an object', { events: [newEvent({ data: [] as never })] }],
    ['an expected version below 0', { expectedVersion: -1 }],
    ['no events', { events: [] }],
  ])('and other invalid values are rejected: %s', async (_, fields) => {
    expect(await errorOf(store.append(appendTo('invalid', fields)))).toBeInstanceOf(InvalidAppend);
  });

  it('and appends with a repeated stream or event id are rejected', async () => {
    expect(await errorOf(store.append([appendTo('twice'), appendTo('twice')]))).toBeInstanceOf(InvalidAppend);
    const event = newEvent();
    expect(
      await errorOf(
        store.append(appendTo('twice', { events: [event, { ...event, eventId: event.eventId.toUpperCase() }] })),
      ),
    ).toBeInstanceOf(InvalidAppend);
    expect(await errorOf(store.append([]))).toBeInstanceOf(InvalidAppend);
  });
});

describe('blobs of an append', () => {
  it('are stored in its commit', async () => {
    const blob = blobOf(`kept ${randomUUID()}`);
    await store.append(appendTo(createStreamId()), { blobs: [blob, blob] });
    expect(await store.blobs.get(blob.hash)).toEqual(blob.content);
  });

  it('are not stored if it is rejected, while those of other appends in the commit are', async () => {
    const [lost, kept] = [blobOf(`lost ${randomUUID()}`), blobOf(`kept ${randomUUID()}`)];
    const rejected = errorOf(store.append(appendTo(createStreamId(), { expectedVersion: 9 }), { blobs: [lost] }));
    await store.append(appendTo(createStreamId()), { blobs: [kept] });
    expect(await rejected).toBeInstanceOf(WrongExpectedVersion);
    expect(await store.blobs.has([lost.hash, kept.hash])).toEqual(new Set([kept.hash]));
  });

  it('are rejected with a wrong hash', async () => {
    const streamId = createStreamId();
    expect(
      await errorOf(
        store.append(appendTo(streamId), { blobs: [{ hash: 'ab'.repeat(32), content: Buffer.from('x') }] }),
      ),
    ).toBeInstanceOf(BlobMismatch);
    expect(await store.head(streamId)).toBeUndefined();
  });

  it('can be the same in many concurrent commits', async () => {
    const other = new EventStore(pools.service);
    const blobs = Array.from({ length: 5 }, () => blobOf(randomUUID()));
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : other).append(appendTo(createStreamId()), { blobs: n % 3 ? blobs : [...blobs].reverse() }),
      ),
    );
    expect((await store.blobs.has(blobs.map((blob) => blob.hash))).size).toBe(5);
  });
});

describe('appendWithin', () => {
  it('commits and rolls back with the transaction of the caller', async () => {
    const [kept, lost] = [createStreamId(), createStreamId()];
    const client = await pools.service.connect();
    try {
      for (const [streamId, end] of [
        [kept, 'COMMIT'],
        [lost, 'ROLLBACK'],
      ] as const) {
        await client.query('BEGIN');
        expect(await store.appendWithin(client, appendTo(streamId))).toMatchObject([{ version: 1 }]);
        await client.query(
          `INSERT INTO phaseline.dead_letters (queue, message_id, payload_text, reason, attempts) VALUES ('q', $1, '', '', 1)`,
          [streamId],
        );
        await client.query(end);
      }
    } finally {
      client.release();
    }
    expect([await store.read(kept), await store.read(lost)].map((events) => events.length)).toEqual([1, 0]);
    const { rows } = await pools.service.query('SELECT message_id FROM phaseline.dead_letters');
    expect(rows).toEqual([{ message_id: kept }]);
  });

  it('must be the first write of the transaction', async () => {
    const client = await pools.service.connect();
    try {
      await client.query('BEGIN');
      await client.query(`INSERT INTO phaseline.processes (process_id, service) VALUES ('p', 's')`);
      expect(await errorOf(store.appendWithin(client, appendTo(createStreamId())))).toBeInstanceOf(AppendNotFirstWrite);
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
  });

  it('leaves the transaction usable if the append is rejected', async () => {
    const streamId = createStreamId();
    const client = await pools.service.connect();
    try {
      await client.query('BEGIN');
      expect(await errorOf(store.appendWithin(client, appendTo(streamId, { expectedVersion: 4 })))).toBeInstanceOf(
        WrongExpectedVersion,
      );
      await store.appendWithin(client, appendTo(streamId, { expectedVersion: 0 }));
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    expect(await store.head(streamId)).toMatchObject({ version: 1 });
  });
});

it('the log of all tests above verifies', async () => {
  expect(await verifyChain(pools.service)).toMatchObject({ problems: [] });
});
