import { describe, expect, it } from 'vitest';
import { JobNotFound, ServerUnreachable, UnexpectedResponse } from '../http/client-errors.js';
import { PhaselineClient } from '../phaseline-client.js';
import { createProblem } from '../problem/problem.js';
import {
  closeConnection,
  respondWithJson,
  startScriptedServer,
  respondWithStream,
  type ScriptedServer,
} from '../testing/scripted-server.js';
import { encodeEventRecord, encodePosition, encodeStreamEnd, KEEP_ALIVE_COMMENT } from './encode-server-sent-event.js';
import type { EventRecord } from './event-record.js';

const jobId = '0190a0b0-0000-7000-8000-000000000001';
const end = encodeStreamEnd({ status: 'completed' });

function createRecord(position: number, text = 'Prüfung 🙂'): EventRecord {
  return {
    position,
    streamId: `job-${jobId}`,
    version: position,
    eventId: `0190a0b0-0000-7000-8000-${String(position).padStart(12, '0')}`,
    type: 'TodoCompleted',
    schemaVersion: 1,
    data: { text },
    metadata: {},
    recordedAt: '2026-01-01T00:00:00.000Z',
    hash: 'ab',
  };
}

const encode = (...positions: number[]): string =>
  positions.map((position) => encodeEventRecord(createRecord(position))).join('');

function follow(
  server: ScriptedServer,
  options: Parameters<PhaselineClient['events']>[1] = {},
): ReturnType<PhaselineClient['events']> {
  return new PhaselineClient({ baseUrl: server.baseUrl, retries: 1, backoff: () => 1 }).events(jobId, options);
}

async function collectPositions(events: AsyncIterable<EventRecord>): Promise<number[]> {
  const found: number[] = [];
  for await (const { position } of events) found.push(position);
  return found;
}

const requestedPositions = (server: ScriptedServer): unknown[] =>
  server.requests.map(({ url, headers }) => [url.searchParams.get('after'), headers['last-event-id']]);

describe('followEvents', () => {
  it('yields complete events however the bytes are split', async () => {
    const bytes = Buffer.from(`${KEEP_ALIVE_COMMENT}${encode(1, 2)}${end}`.replaceAll('\n', '\r\n'));
    for (const size of [1, 2, 3, 7, 64]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      await using server = await startScriptedServer(respondWithStream(pieces, 'stay'));
      const events = follow(server);
      expect(await events.next()).toEqual({ done: false, value: createRecord(1) });
      expect(await events.next()).toEqual({ done: false, value: createRecord(2) });
      expect(await events.next()).toEqual({ done: true, value: { status: 'completed' } });
    }
  });

  it('resumes after the last event when the connection breaks or closes or the server is down for a while', async () => {
    await using server = await startScriptedServer(
      respondWithStream([encode(3, 5)], 'break'),
      closeConnection,
      respondWithJson(503, createProblem('not_ready', 'starting')),
      respondWithStream([encode(8)], 'end'),
      respondWithStream([encode(9), end], 'stay'),
    );
    expect(await collectPositions(follow(server, { after: 2, types: ['TodoCompleted', 'PhaseStarted'] }))).toEqual([
      3, 5, 8, 9,
    ]);
    expect(requestedPositions(server)).toEqual([
      ['2', '2'],
      ['5', '5'],
      ['5', '5'],
      ['5', '5'],
      ['8', '8'],
    ]);
    expect(server.requests[4]!.url.searchParams.getAll('types')).toEqual(['TodoCompleted', 'PhaseStarted']);
  });

  it('drops an event that a break cut off, and yields it completely after the reconnect', async () => {
    const whole = encode(4);
    for (const cut of [5, whole.indexOf('data'), whole.length - 2, whole.length - 1]) {
      await using server = await startScriptedServer(
        respondWithStream([encode(1), whole.slice(0, cut)], 'break'),
        respondWithStream([encode(4), end], 'end'),
      );
      expect(await collectPositions(follow(server))).toEqual([1, 4]);
      expect(requestedPositions(server)[1]).toEqual(['1', '1']);
    }
  });

  it('yields no event twice when the server repeats some', async () => {
    await using server = await startScriptedServer(
      respondWithStream([encode(1, 2, 3)], 'end'),
      respondWithStream([encode(2, 3, 4), end], 'end'),
    );
    expect(await collectPositions(follow(server))).toEqual([1, 2, 3, 4]);
  });

  it('resumes after a position that was sent without an event, so that filtered events are not read again', async () => {
    await using server = await startScriptedServer(
      respondWithStream([encode(1), encodePosition(40)], 'end'),
      respondWithStream([end], 'end'),
    );
    expect(await collectPositions(follow(server))).toEqual([1]);
    expect(requestedPositions(server)[1]).toEqual(['40', '40']);
  });

  it('reconnects when a connection is silent for too long', async () => {
    await using server = await startScriptedServer(
      respondWithStream([encode(1)], 'stay'),
      respondWithStream([encode(2), end], 'end'),
    );
    expect(await collectPositions(follow(server, { idleTimeoutMs: 500 }))).toEqual([1, 2]);
  });

  it('ignores unknown named events', async () => {
    await using server = await startScriptedServer(
      respondWithStream(['event: news\ndata: ?\n\n', encode(1), end], 'end'),
    );
    expect(await collectPositions(follow(server))).toEqual([1]);
  });

  it('gives up after the maximum number of reconnects', async () => {
    await using server = await startScriptedServer(respondWithStream([encode(1)], 'end'), closeConnection);
    const events = follow(server, { maxReconnects: 3 });
    await expect(collectPositions(events)).rejects.toBeInstanceOf(ServerUnreachable);
    expect(server.requests).toHaveLength(4);
  });

  it('counts only consecutive reconnects: received data resets the count', async () => {
    const nothingNew = respondWithStream([KEEP_ALIVE_COMMENT], 'end');
    await using server = await startScriptedServer(
      nothingNew,
      closeConnection,
      nothingNew,
      closeConnection,
      nothingNew,
      closeConnection,
      respondWithStream([end], 'end'),
    );
    expect(await collectPositions(follow(server, { maxReconnects: 2 }))).toEqual([]);
  });

  it('does not retry errors that are not transient', async () => {
    await using missing = await startScriptedServer(
      respondWithJson(404, createProblem('job_not_found', 'no such job')),
    );
    await expect(collectPositions(follow(missing))).rejects.toBeInstanceOf(JobNotFound);
    expect(missing.requests).toHaveLength(1);
    await using page = await startScriptedServer(respondWithJson(200, { items: [] }));
    await expect(collectPositions(follow(page))).rejects.toBeInstanceOf(UnexpectedResponse);
    await using garbled = await startScriptedServer(respondWithStream(['data: {"position":1}\n\n'], 'stay'));
    await expect(collectPositions(follow(garbled))).rejects.toBeInstanceOf(UnexpectedResponse);
    expect(garbled.requests).toHaveLength(1);
  });

  it('closes the connection when the reader leaves the loop', async () => {
    let closed = false;
    await using server = await startScriptedServer((response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(encode(1, 2));
    });
    for await (const { position } of follow(server)) {
      expect(position).toBe(1);
      break;
    }
    await expect.poll(() => closed).toBe(true);
  });

  it('stops when the signal is aborted while waiting for the next event', async () => {
    await using server = await startScriptedServer(respondWithStream([encode(1)], 'stay'));
    const stop = new AbortController();
    const events = follow(server, { signal: stop.signal });
    await events.next();
    const pending = events.next();
    stop.abort();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(1);
  });
});
