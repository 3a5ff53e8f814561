import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { expect, it, vi } from 'vitest';
import { verifyChain } from '../chain/verify-chain.js';
import { EventStore } from '../event-store.js';
import { appendTo, createStreamId, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { WrongExpectedVersion } from './append-errors.js';

const pools = useTestDatabase();

interface Call {
  readonly streamId: string;
  readonly correlationId?: string;
  readonly expected?: number;
  readonly closes?: boolean;
  readonly wakes?: boolean;
  readonly eventId?: string;
  readonly type?: string;
}

/** Calls phaseline.append_event and returns the versions of its rows. */
async function callAppendEvent(connection: pg.Pool | pg.PoolClient, call: Call): Promise<number[]> {
  const { streamId, correlationId = `of-${streamId}`, expected = 1, closes = false, wakes = false } = call;
  const { eventId = randomUUID(), type = 'TodoCompleted' } = call;
  const { rows } = await connection.query<{ version: string }>(
    `SELECT version FROM phaseline.append_event($1, $2, $3, $4, $5, $6, $7, 1, '{}', '{}')`,
    [streamId, correlationId, expected, closes, wakes, eventId, type],
  );
  return rows.map(({ version }) => Number(version));
}

/** Creates a stream with one event, and returns its id. */
async function createStream(): Promise<string> {
  const streamId = createStreamId();
  await new EventStore(pools.service).append(appendTo(streamId, { expectedVersion: 0 }));
  return streamId;
}

it('is used for one event of an existing stream with an expected version', async () => {
  const store = new EventStore(pools.service);
  const streamId = createStreamId();
  const query = vi.spyOn(pools.service, 'query');
  await store.append(appendTo(streamId, { expectedVersion: 0 }));
  const [result] = await store.append(appendTo(streamId, { expectedVersion: 1 }));
  await store.append(appendTo(streamId, { expectedVersion: 2, events: [newEvent(), newEvent()] }));
  await store.append(appendTo(streamId));
  const names = query.mock.calls.map(([config]) => (config as { name?: string }).name);
  query.mockRestore();

  expect(names).toEqual([
    'phaseline-append-one',
    'phaseline-append-event',
    'phaseline-append-one',
    'phaseline-append-one',
  ]);
  const events = await store.read(streamId);
  expect(events.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5]);
  const { version, position, hash, recordedAt } = events[1]!;
  expect(result).toEqual({ streamId, version, position, hash, recordedAt, alreadyDone: false });
  expect(await verifyChain(pools.service)).toMatchObject({ problems: [] });
});

it('writes nothing and returns no row for another version, another correlation, a closed stream and a new stream', async () => {
  const streamId = await createStream();
  const closed = await createStream();
  expect(await callAppendEvent(pools.service, { streamId: closed, closes: true })).toEqual([2]);

  expect(await callAppendEvent(pools.service, { streamId, expected: 2 })).toEqual([]);
  expect(await callAppendEvent(pools.service, { streamId, correlationId: 'another' })).toEqual([]);
  expect(await callAppendEvent(pools.service, { streamId: closed, expected: 2 })).toEqual([]);
  expect(await callAppendEvent(pools.service, { streamId: createStreamId() })).toEqual([]);

  const store = new EventStore(pools.service);
  expect(await store.read(streamId)).toHaveLength(1);
  expect(await store.read(closed)).toHaveLength(2);
  expect(await callAppendEvent(pools.service, { streamId })).toEqual([2]);
});

it('closes the stream after an end, whatever the caller requests', async () => {
  const streamId = await createStream();
  expect(await callAppendEvent(pools.service, { streamId, type: 'PhaseCompleted' })).toEqual([2]);
  expect(await new EventStore(pools.service).head(streamId)).toMatchObject({ version: 2, closed: true });
});

it('fails for an event id that is in the log, so that a repeated append is recognised', async () => {
  const streamId = await createStream();
  const append = appendTo(streamId, { expectedVersion: 1 });
  const store = new EventStore(pools.service);
  const [result] = await store.append(append);
  const { eventId } = append.events[0]!;
  await expect(callAppendEvent(pools.service, { streamId, expected: 2, eventId })).rejects.toMatchObject({
    code: '23505',
  });
  expect(await store.append(append)).toEqual([{ ...result, alreadyDone: true }]);
  expect(await store.append({ ...append, expectedVersion: 2 })).toEqual([{ ...result, alreadyDone: true }]);
  expect(await store.read(streamId)).toHaveLength(2);
});

it('accepts one of many writers with the same expected version', async () => {
  const streamId = await createStream();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () => new EventStore(pools.service).append(appendTo(streamId, { expectedVersion: 1 }))),
  );
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(errors).toHaveLength(7);
  for (const error of errors) expect(error).toBeInstanceOf(WrongExpectedVersion);
  expect(await new EventStore(pools.service).read(streamId)).toHaveLength(2);
});

it('waits for the transaction of another append of its correlation, also to another stream', async () => {
  const store = new EventStore(pools.service);
  const job = randomUUID();
  const streams = [`job-${job}`, `phase-${job}-1`] as const;
  for (const streamId of streams) await store.append(appendTo(streamId, { correlationId: job, expectedVersion: 0 }));
  const first = await pools.service.connect();
  const second = await pools.service.connect();
  try {
    await first.query('BEGIN');
    await callAppendEvent(first, { streamId: streams[0], correlationId: job });
    await second.query(`BEGIN; SET LOCAL lock_timeout = '100ms'`);
    await expect(callAppendEvent(second, { streamId: streams[1], correlationId: job })).rejects.toMatchObject({
      code: '55P03',
    });
  } finally {
    await second.query('ROLLBACK');
    await first.query('ROLLBACK');
    second.release();
    first.release();
  }
});

it('must be the first write of its transaction', async () => {
  const streamId = await createStream();
  const client = await pools.service.connect();
  try {
    await client.query('BEGIN; SELECT pg_current_xact_id()');
    await expect(callAppendEvent(client, { streamId })).rejects.toMatchObject({ code: 'PL002' });
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

it('notifies the services of the append if requested', async () => {
  const streamId = await createStream();
  const client = await pools.service.connect();
  const payloads: (string | undefined)[] = [];
  client.on('notification', ({ payload }) => payloads.push(payload));
  try {
    await client.query('LISTEN phaseline_control');
    await callAppendEvent(client, { streamId });
    await callAppendEvent(client, { streamId, expected: 2, wakes: true });
    // The server sends notifications before it completes the next statement.
    await client.query('SELECT 1');
    expect(payloads).toEqual([`of-${streamId}`]);
  } finally {
    client.release(true);
  }
});
