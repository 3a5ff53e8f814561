import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  FileNotFound,
  IdempotencyConflict,
  InvalidRequest,
  JobNotFound,
  RequestRefused,
  RequestTimedOut,
  ServerFailed,
  ServerUnreachable,
  Unauthorized,
  UnexpectedAnswer,
  UnknownAgent,
  WaitTimedOut,
} from './http/client-errors.js';
import { PhaselineClient, type PhaselineClientOptions } from './phaseline-client.js';
import { problem, type ProblemCode } from './problem/problem.js';
import { hangUp, json, scriptedServer, silence, type Answer, type ScriptedServer } from './testing/scripted-server.js';

const jobId = '0190a0b0-0000-7000-8000-000000000001';
const submitted = { jobId, status: 'submitted', created: true };
const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costMicroUsd: 0, steps: 1 };
const job = (status: string): object => ({
  jobId,
  agent: 'creator',
  status,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:01.000Z',
  usage,
});

function refuse(code: ProblemCode, message = 'no'): Answer {
  const body = problem(code, message);
  return json(body.status ?? 500, body);
}

function clientOf(server: ScriptedServer, options: Partial<PhaselineClientOptions> = {}): PhaselineClient {
  return new PhaselineClient({ baseUrl: server.baseUrl, backoff: () => 1, ...options });
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('submit', () => {
  it('sends one key over all retries, so that a lost answer does not make a second job', async () => {
    await using server = await scriptedServer(hangUp, refuse('not_ready'), json(201, submitted));
    await expect(clientOf(server).submit({ agent: 'creator', instructions: 'x' })).resolves.toEqual(submitted);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^auto-[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
    expect(JSON.parse(server.seen[2]!.body.toString())).toEqual({ agent: 'creator', instructions: 'x' });
  });

  it('invents another key for another call, and prefers the one it is given', async () => {
    await using server = await scriptedServer(json(201, submitted));
    const client = clientOf(server);
    await client.submit({ agent: 'creator' });
    await client.submit({ agent: 'creator' });
    await client.submit({ agent: 'creator', idempotencyKey: 'mine' });
    const [first, second, third] = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
    expect(third).toBe('mine');
  });

  it('sends files as they are, again in full when it has to repeat', async () => {
    await using server = await scriptedServer(hangUp, json(201, submitted));
    const files = [
      { name: 'scan.bin', content: new Uint8Array([0, 255, 13, 10]) },
      { name: 'note.md', content: 'héllo', mediaType: 'text/markdown' },
    ];
    await clientOf(server).submit({ agent: 'creator' }, { files });
    const last = server.seen[1]!;
    const form = await new Response(new Uint8Array(last.body), {
      headers: { 'content-type': String(last.headers['content-type']) },
    }).formData();
    expect(JSON.parse(String(form.get('request')))).toEqual({ agent: 'creator' });
    const received = form.getAll('files') as File[];
    expect(received.map(({ name }) => name)).toEqual(['scan.bin', 'note.md']);
    expect(received[1]!.type).toBe('text/markdown');
    expect(new Uint8Array(await received[0]!.arrayBuffer())).toEqual(files[0]!.content);
    expect(await received[1]!.text()).toBe('héllo');
  });

  it('shows the key of the API only to the server', async () => {
    await using server = await scriptedServer(refuse('unauthorized'));
    const error: unknown = await clientOf(server, { apiKey: 'sekrit' })
      .submit({ agent: 'creator' })
      .catch((thrown: unknown) => thrown);
    expect(server.seen[0]!.headers.authorization).toBe('Bearer sekrit');
    expect(error).toBeInstanceOf(Unauthorized);
    expect(JSON.stringify(error) + String(error)).not.toContain('sekrit');
  });
});

describe('errors', () => {
  it.each<[ProblemCode, new (...args: never[]) => Error]>([
    ['invalid_request', InvalidRequest],
    ['job_not_found', JobNotFound],
    ['file_not_found', FileNotFound],
    ['unknown_agent', UnknownAgent],
    ['idempotency_conflict', IdempotencyConflict],
    ['document_too_large', RequestRefused],
    ['internal', ServerFailed],
  ])('know the code %s, and do not repeat what it answers', async (code, kind) => {
    await using server = await scriptedServer(refuse(code, 'what to do'));
    const error: unknown = await clientOf(server)
      .get(jobId)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ code, message: 'what to do', status: problem(code, '').status });
    expect(server.seen).toHaveLength(1);
  });

  it('pass on the code of a server that is newer than the client', async () => {
    await using server = await scriptedServer(json(418, { code: 'teapot', message: 'short and stout', brewing: true }));
    await expect(clientOf(server).get(jobId)).rejects.toMatchObject({
      name: 'RequestRefused',
      code: 'teapot',
      status: 418,
    });
  });

  it('give up on a server that stays busy, after the retries and no more', async () => {
    await using server = await scriptedServer(json(503, problem('not_ready', 'starting'), { 'retry-after': '0' }));
    await expect(clientOf(server, { retries: 2 }).queues()).rejects.toMatchObject({
      name: 'ServerFailed',
      code: 'not_ready',
    });
    expect(server.seen).toHaveLength(3);
  });

  it('repeat an answer that broke in the middle of its body', async () => {
    const broken: Answer = (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('only half');
      setTimeout(() => response.destroy(), 10);
    };
    await using server = await scriptedServer(broken, (response) => void response.writeHead(200).end('all of it'));
    await expect(clientOf(server).readText(jobId, 'output/summary.md')).resolves.toBe('all of it');
  });

  it('say how to start a server where none runs', async () => {
    const port = await closedPort();
    const client = new PhaselineClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 1, backoff: () => 1 });
    const error: unknown = await client.get(jobId).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServerUnreachable);
    expect(error).toMatchObject({
      code: 'server_unreachable',
      message: expect.stringMatching(/ECONNREFUSED.*phaseline up/) as string,
    });
  });

  it('tell a server that hangs from one that is not there', async () => {
    await using server = await scriptedServer(silence);
    await expect(clientOf(server, { timeoutMs: 500, retries: 1 }).get(jobId)).rejects.toBeInstanceOf(RequestTimedOut);
    expect(server.seen).toHaveLength(2);
  });

  it('notice that something else answers at that address', async () => {
    await using server = await scriptedServer(
      (response) => void response.writeHead(200).end('<html>'),
      json(200, { jobId: 'x' }),
      json(404, 'nothing here'),
    );
    const client = clientOf(server);
    await expect(client.get(jobId)).rejects.toThrow(/GET \/v1\/jobs\/.* the answer is not JSON/);
    await expect(client.get(jobId)).rejects.toThrow(/the answer does not fit at "jobId"/);
    await expect(client.get(jobId)).rejects.toBeInstanceOf(UnexpectedAnswer);
  });

  it('are the reason of the signal, not a failed connection, when the caller stops', async () => {
    await using server = await scriptedServer(silence);
    const stop = new AbortController();
    const pending = clientOf(server).get(jobId, { signal: stop.signal });
    const reason = new Error('never mind');
    const stopped = expect(pending).rejects.toBe(reason);
    await expect.poll(() => server.seen.length).toBe(1);
    stop.abort(reason);
    await stopped;
    expect(server.seen).toHaveLength(1);
  });

  it.each(['nonsense', 'ftp://host', 'http://user:pass@host', 'http://host/?a=b'])(
    'refuse the base URL %s before any request, without repeating a password',
    (baseUrl) => {
      expect(() => new PhaselineClient({ baseUrl })).toThrow(TypeError);
      expect(() => new PhaselineClient({ baseUrl })).not.toThrow(/pass@/);
    },
  );
});

describe('reading', () => {
  it('keeps the path of a base URL, escapes ids and file names, and sends only what was given', async () => {
    await using server = await scriptedServer((response) => void response.writeHead(200).end('x'));
    const client = new PhaselineClient({ baseUrl: `${server.baseUrl}/api//` });
    await client.readFile('a/b', 'output/ä b#?.md', { at: 7 });
    await client.readFile('a', 'x');
    expect(server.seen.map(({ url }) => url.pathname + url.search)).toEqual([
      '/api/v1/jobs/a%2Fb/files/output/%C3%A4%20b%23%3F.md?at=7',
      '/api/v1/jobs/a/files/x',
    ]);
  });

  it.each(['..', 'a/../../state', 'a//b', ''])(
    'does not let the file path %j turn into another route',
    async (path) => {
      await using server = await scriptedServer(json(200, {}));
      await expect(async () => clientOf(server).readFile(jobId, path)).rejects.toThrow(InvalidRequest);
      expect(server.seen).toHaveLength(0);
    },
  );

  it('lists over all pages and stops asking when the reader stops', async () => {
    await using server = await scriptedServer(
      json(200, { items: [job('running'), job('failed')], nextCursor: 'c2' }),
      json(200, { items: [job('completed')], nextCursor: 'c3' }),
      json(200, { items: [] }),
    );
    const statuses: string[] = [];
    for await (const { status } of clientOf(server).list({
      status: ['running', 'failed'],
      label: 'team=norms',
      limit: 2,
    }))
      statuses.push(status);
    expect(statuses).toEqual(['running', 'failed', 'completed']);
    expect(server.seen.map(({ url }) => url.search)).toEqual([
      '?status=running&status=failed&label=team%3Dnorms&limit=2',
      '?status=running&status=failed&label=team%3Dnorms&limit=2&cursor=c2',
      '?status=running&status=failed&label=team%3Dnorms&limit=2&cursor=c3',
    ]);
    await using another = await scriptedServer(json(200, { items: [job('running')], nextCursor: 'more' }));
    for await (const first of clientOf(another).list()) {
      expect(first.status).toBe('running');
      break;
    }
    expect(another.seen).toHaveLength(1);
  });

  it('reads state, files, queues and dead letters', async () => {
    const letter = {
      id: '1',
      queue: 'tools',
      messageId: 'm',
      reason: 'not JSON',
      attempts: 1,
      failedAt: '2026-01-01T00:00:00.000Z',
      payload: null,
    };
    await using server = await scriptedServer(
      json(200, { jobId, position: 5, job: { status: 'running' } }),
      json(200, { jobId, files: [{ path: 'a.md', size: 1, hash: 'ab' }] }),
      json(200, {
        backend: 'postgres',
        deadLetters: 1,
        queues: [{ name: 'jobs', waiting: 1, active: 0, delayed: 0, failed: 0 }],
      }),
      json(200, { items: [letter] }),
    );
    const client = clientOf(server);
    await expect(client.state(jobId, { at: 5 })).resolves.toMatchObject({ position: 5 });
    await expect(client.files(jobId)).resolves.toEqual([{ path: 'a.md', size: 1, hash: 'ab' }]);
    await expect(client.queues()).resolves.toMatchObject({ deadLetters: 1 });
    for await (const found of client.deadLetters()) expect(found).toEqual(letter);
    expect(server.seen).toHaveLength(4);
  });

  it('sends the reason of a cancel', async () => {
    await using server = await scriptedServer(json(202, { jobId, status: 'cancelling', accepted: true }));
    await expect(clientOf(server).cancel(jobId, { reason: 'wrong file', actor: 'ops' })).resolves.toMatchObject({
      accepted: true,
    });
    expect(JSON.parse(server.seen[0]!.body.toString())).toEqual({ reason: 'wrong file', actor: 'ops' });
  });
});

describe('a request to a job', () => {
  it.each(['pause', 'steer', 'cancel'] as const)(
    'is repeated under the key that it was first sent with: %s',
    async (action) => {
      const done = { jobId, status: 'paused', changed: true, accepted: true };
      await using server = await scriptedServer(
        hangUp,
        json(503, { code: 'not_ready', message: 'x' }),
        json(200, done),
      );
      const client = clientOf(server);
      if (action === 'cancel') await client.cancel(jobId);
      else await client.control(jobId, action, { message: 'm' } as never);
      const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).toMatch(/^auto-[0-9a-f]{32}$/);
      expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    },
  );

  it('has a key of its own, or the one that it is given, and says how long it is waited for', async () => {
    await using server = await scriptedServer(json(200, { jobId, status: 'paused', changed: true }));
    const client = new PhaselineClient({ baseUrl: server.baseUrl, timeoutMs: 4_321 });
    await client.control(jobId, 'pause', { ifUnchangedSince: 7 });
    await client.control(jobId, 'pause', {});
    await client.control(jobId, 'resume', {}, { idempotencyKey: 'mine' });
    const [first, second, third] = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
    expect(third).toBe('mine');
    expect(server.seen.map(({ headers }) => headers['phaseline-waits-ms'])).toEqual(['4321', '4321', '4321']);
    expect(JSON.parse(server.seen[0]!.body.toString())).toEqual({ ifUnchangedSince: 7 });
  });
});

describe('wait', () => {
  it.each(['completed', 'failed', 'cancelled', 'blocked'])('ends with a job that is %s', async (status) => {
    await using server = await scriptedServer(
      json(200, job('running')),
      hangUp,
      json(200, job('cancelling')),
      json(200, job(status)),
    );
    await expect(clientOf(server).wait(jobId, { pollMs: 1 })).resolves.toMatchObject({ status });
    expect(server.seen).toHaveLength(4);
  });

  it('gives up after its time and says how the job stood', async () => {
    await using server = await scriptedServer(json(200, job('running')));
    await expect(clientOf(server).wait(jobId, { timeoutMs: 1_000, pollMs: 10 })).rejects.toMatchObject({
      code: 'wait_timed_out',
      lastStatus: 'running',
    });
  });

  it('gives up after its time also when the server says nothing at all', async () => {
    await using server = await scriptedServer(silence);
    await expect(clientOf(server).wait(jobId, { timeoutMs: 40 })).rejects.toBeInstanceOf(WaitTimedOut);
  });

  it('stops for the signal of the caller', async () => {
    await using server = await scriptedServer(json(200, job('running')));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 30);
    await expect(
      clientOf(server).wait(jobId, { signal: stop.signal, timeoutMs: 10_000, pollMs: 5 }),
    ).rejects.toMatchObject({ name: 'AbortError' });
  });
});
