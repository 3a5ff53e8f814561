import { createServer, type AddressInfo } from 'node:net';
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
  UnexpectedResponse,
  UnknownAgent,
  WaitTimedOut,
} from './http/client-errors.js';
import { PhaselineClient, type PhaselineClientOptions } from './phaseline-client.js';
import { createProblem, type ProblemCode } from './problem/problem.js';
import {
  closeConnection,
  respondWithJson,
  startScriptedServer,
  neverRespond,
  type ScriptedResponse,
  type ScriptedServer,
} from './testing/scripted-server.js';

const jobId = '0190a0b0-0000-7000-8000-000000000001';
const submitted = { jobId, status: 'submitted', created: true };
const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costMicroUsd: 0, steps: 1 };
const job = (status: string): object => ({
  jobId,
  agent: 'creator',
  status,
  createdAt: '2026-01-01T00:00:00.000Z',
  position: 7,
  updatedAt: '2026-01-01T00:00:01.000Z',
  usage,
});

function problemResponse(code: ProblemCode, message = 'no'): ScriptedResponse {
  const body = createProblem(code, message);
  return respondWithJson(body.status ?? 500, body);
}

function createClient(server: ScriptedServer, options: Partial<PhaselineClientOptions> = {}): PhaselineClient {
  return new PhaselineClient({ baseUrl: server.baseUrl, backoff: () => 1, ...options });
}

async function findClosedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('submit', () => {
  it('sends the same key on all retries, so that a lost response does not create a second job', async () => {
    await using server = await startScriptedServer(
      closeConnection,
      problemResponse('not_ready'),
      respondWithJson(201, submitted),
    );
    await expect(createClient(server).submit({ agent: 'creator', instructions: 'x' })).resolves.toEqual(submitted);
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^auto-[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
    expect(JSON.parse(server.requests[2]!.body.toString())).toEqual({ agent: 'creator', instructions: 'x' });
  });

  it('generates a new key for each call unless one is given', async () => {
    await using server = await startScriptedServer(respondWithJson(201, submitted));
    const client = createClient(server);
    await client.submit({ agent: 'creator' });
    await client.submit({ agent: 'creator' });
    await client.submit({ agent: 'creator', idempotencyKey: 'mine' });
    const [first, second, third] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
    expect(third).toBe('mine');
  });

  it('sends files unchanged, and sends them again in full on a retry', async () => {
    await using server = await startScriptedServer(closeConnection, respondWithJson(201, submitted));
    const files = [
      { name: 'scan.bin', content: new Uint8Array([0, 255, 13, 10]) },
      { name: 'note.md', content: 'héllo', mediaType: 'text/markdown' },
    ];
    await createClient(server).submit({ agent: 'creator' }, { files });
    const last = server.requests[1]!;
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

  it('sends the API key only to the server', async () => {
    await using server = await startScriptedServer(problemResponse('unauthorized'));
    const error: unknown = await createClient(server, { apiKey: 'sekrit' })
      .submit({ agent: 'creator' })
      .catch((thrown: unknown) => thrown);
    expect(server.requests[0]!.headers.authorization).toBe('Bearer sekrit');
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
  ])('have a class for the code %s, which is not retried', async (code, kind) => {
    await using server = await startScriptedServer(problemResponse(code, 'what to do'));
    const error: unknown = await createClient(server)
      .get(jobId)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ code, message: 'what to do', status: createProblem(code, '').status });
    expect(server.requests).toHaveLength(1);
  });

  it('keep the unknown code of a newer server', async () => {
    await using server = await startScriptedServer(
      respondWithJson(418, { code: 'teapot', message: 'short and stout', brewing: true }),
    );
    await expect(createClient(server).get(jobId)).rejects.toMatchObject({
      name: 'RequestRefused',
      code: 'teapot',
      status: 418,
    });
  });

  it('are thrown after the maximum number of retries if the server stays busy', async () => {
    await using server = await startScriptedServer(
      respondWithJson(503, createProblem('not_ready', 'starting'), { 'retry-after': '0' }),
    );
    await expect(createClient(server, { retries: 2 }).queues()).rejects.toMatchObject({
      name: 'ServerFailed',
      code: 'not_ready',
    });
    expect(server.requests).toHaveLength(3);
  });

  it('do not occur if a retry succeeds after a response body that broke', async () => {
    const broken: ScriptedResponse = (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('only half');
      setTimeout(() => response.destroy(), 10);
    };
    await using server = await startScriptedServer(broken, (response) => void response.writeHead(200).end('all of it'));
    await expect(createClient(server).readText(jobId, 'output/summary.md')).resolves.toBe('all of it');
  });

  it('say how to start a server if none responds', async () => {
    const port = await findClosedPort();
    const client = new PhaselineClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 1, backoff: () => 1 });
    const error: unknown = await client.get(jobId).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServerUnreachable);
    expect(error).toMatchObject({
      code: 'server_unreachable',
      message: expect.stringMatching(/ECONNREFUSED.*phaseline up/) as string,
    });
  });

  it('distinguish a server that hangs from an unreachable one', async () => {
    await using server = await startScriptedServer(neverRespond);
    await expect(createClient(server, { timeoutMs: 500, retries: 1 }).get(jobId)).rejects.toBeInstanceOf(
      RequestTimedOut,
    );
    expect(server.requests).toHaveLength(2);
  });

  it('report that another program responds at the address', async () => {
    await using server = await startScriptedServer(
      (response) => void response.writeHead(200).end('<html>'),
      respondWithJson(200, { jobId: 'x' }),
      respondWithJson(404, 'nothing here'),
    );
    const client = createClient(server);
    await expect(client.get(jobId)).rejects.toThrow(/GET \/v1\/jobs\/.* the response is not JSON/);
    await expect(client.get(jobId)).rejects.toThrow(/the response is invalid at "jobId"/);
    await expect(client.get(jobId)).rejects.toBeInstanceOf(UnexpectedResponse);
  });

  it('are the reason of the signal, not a connection error, if the caller aborts', async () => {
    await using server = await startScriptedServer(neverRespond);
    const stop = new AbortController();
    const pending = createClient(server).get(jobId, { signal: stop.signal });
    const reason = new Error('never mind');
    const stopped = expect(pending).rejects.toBe(reason);
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort(reason);
    await stopped;
    expect(server.requests).toHaveLength(1);
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
  it('keeps the path of the base URL, escapes ids and file names, and sends only the given query values', async () => {
    await using server = await startScriptedServer((response) => void response.writeHead(200).end('x'));
    const client = new PhaselineClient({ baseUrl: `${server.baseUrl}/api//` });
    await client.readFile('a/b', 'output/ä b#?.md', { at: 7 });
    await client.readFile('a', 'x');
    expect(server.requests.map(({ url }) => url.pathname + url.search)).toEqual([
      '/api/v1/jobs/a%2Fb/files/output/%C3%A4%20b%23%3F.md?at=7',
      '/api/v1/jobs/a/files/x',
    ]);
  });

  it.each(['..', 'a/../../state', 'a//b', ''])(
    'does not let the file path %j turn into another route',
    async (path) => {
      await using server = await startScriptedServer(respondWithJson(200, {}));
      await expect(async () => createClient(server).readFile(jobId, path)).rejects.toThrow(InvalidRequest);
      expect(server.requests).toHaveLength(0);
    },
  );

  it('lists all pages and requests no more when the reader stops', async () => {
    await using server = await startScriptedServer(
      respondWithJson(200, { items: [job('running'), job('failed')], nextCursor: 'c2' }),
      respondWithJson(200, { items: [job('completed')], nextCursor: 'c3' }),
      respondWithJson(200, { items: [] }),
    );
    const statuses: string[] = [];
    for await (const { status } of createClient(server).list({
      statuses: ['running', 'failed'],
      label: 'team=norms',
      limit: 2,
    }))
      statuses.push(status);
    expect(statuses).toEqual(['running', 'failed', 'completed']);
    expect(server.requests.map(({ url }) => url.search)).toEqual([
      '?statuses=running&statuses=failed&label=team%3Dnorms&limit=2',
      '?statuses=running&statuses=failed&label=team%3Dnorms&limit=2&cursor=c2',
      '?statuses=running&statuses=failed&label=team%3Dnorms&limit=2&cursor=c3',
    ]);
    await using another = await startScriptedServer(
      respondWithJson(200, { items: [job('running')], nextCursor: 'more' }),
    );
    for await (const first of createClient(another).list()) {
      expect(first.status).toBe('running');
      break;
    }
    expect(another.requests).toHaveLength(1);
  });

  it('reads state, files, queues, dead letters and alerts', async () => {
    const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costMicroUsd: 1, steps: 1 };
    const letter = {
      id: '1',
      queue: 'tools',
      messageId: 'm',
      reason: 'not JSON',
      attempts: 1,
      failedAt: '2026-01-01T00:00:00.000Z',
      payload: null,
    };
    const alert = {
      ...{ id: 'dead-letters:jobs', kind: 'dead-letters', severity: 'warning', title: 'Dead letters' },
      ...{ cause: 'One message.', command: 'phaseline dead-letters' },
    };
    await using server = await startScriptedServer(
      respondWithJson(200, { jobId, position: 5, job: { status: 'running' }, phases: [], files: [], usage }),
      respondWithJson(200, {
        jobId,
        items: [{ path: 'a.md', size: 1, hash: 'ab', writtenAt: '2026-01-01T00:00:00.000Z' }],
      }),
      respondWithJson(200, {
        backend: 'postgres',
        deadLetterCount: 1,
        measuredAt: '2026-01-01T00:00:00.000Z',
        windowSeconds: 240,
        queues: [
          {
            ...{ queue: 'jobs', waiting: 1, active: 0, delayed: 0, failed: 0 },
            ...{ arrivalsPerMinute: 1, completionsPerMinute: 2, drainSeconds: 60, isGrowing: false },
          },
        ],
      }),
      respondWithJson(200, { items: [letter] }),
      respondWithJson(200, { measuredAt: '2026-01-01T00:00:00.000Z', items: [alert] }),
    );
    const client = createClient(server);
    await expect(client.state(jobId, { at: 5 })).resolves.toMatchObject({ position: 5 });
    await expect(client.files(jobId)).resolves.toEqual([
      { path: 'a.md', size: 1, hash: 'ab', writtenAt: '2026-01-01T00:00:00.000Z' },
    ]);
    await expect(client.queues()).resolves.toMatchObject({ deadLetterCount: 1 });
    for await (const found of client.deadLetters.list()) expect(found).toEqual(letter);
    await expect(client.alerts()).resolves.toMatchObject({ items: [alert] });
    expect(server.requests).toHaveLength(5);
  });

  it('sends the reason of a cancel', async () => {
    await using server = await startScriptedServer(
      respondWithJson(202, { jobId, status: 'cancelling', changed: true }),
    );
    await expect(createClient(server).cancel(jobId, { reason: 'wrong file' })).resolves.toMatchObject({
      changed: true,
    });
    expect(JSON.parse(server.requests[0]!.body.toString())).toEqual({ reason: 'wrong file' });
  });
});

describe('a control request', () => {
  it.each(['pause', 'steer', 'cancel'] as const)(
    'is repeated under the key that it was first sent with: %s',
    async (action) => {
      const done = { jobId, status: 'paused', changed: true };
      await using server = await startScriptedServer(
        closeConnection,
        respondWithJson(503, { code: 'not_ready', message: 'x' }),
        respondWithJson(200, done),
      );
      const client = createClient(server);
      if (action === 'cancel') await client.cancel(jobId);
      else await client.control(jobId, action, { message: 'm' } as never);
      const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).toMatch(/^auto-[0-9a-f]{32}$/);
      expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    },
  );

  it('has a random or the given key, and sends its timeout', async () => {
    await using server = await startScriptedServer(respondWithJson(200, { jobId, status: 'paused', changed: true }));
    const client = new PhaselineClient({ baseUrl: server.baseUrl, timeoutMs: 4_321 });
    await client.control(jobId, 'pause', { ifUnchangedSince: 7 });
    await client.control(jobId, 'pause', {});
    await client.control(jobId, 'resume', {}, { idempotencyKey: 'mine' });
    const [first, second, third] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
    expect(third).toBe('mine');
    expect(server.requests.map(({ headers }) => headers['phaseline-caller-timeout-ms'])).toEqual([
      '4321',
      '4321',
      '4321',
    ]);
    expect(JSON.parse(server.requests[0]!.body.toString())).toEqual({ ifUnchangedSince: 7 });
  });
});

describe('wait', () => {
  it.each(['completed', 'failed', 'cancelled', 'blocked'])('returns a job that is %s', async (status) => {
    await using server = await startScriptedServer(
      respondWithJson(200, job('running')),
      closeConnection,
      respondWithJson(200, job('cancelling')),
      respondWithJson(200, job(status)),
    );
    await expect(createClient(server).wait(jobId, { pollMs: 1 })).resolves.toMatchObject({ status });
    expect(server.requests).toHaveLength(4);
  });

  it('times out and reports the last status of the job', async () => {
    await using server = await startScriptedServer(respondWithJson(200, job('running')));
    await expect(createClient(server).wait(jobId, { timeoutMs: 1_000, pollMs: 10 })).rejects.toMatchObject({
      code: 'wait_timed_out',
      lastStatus: 'running',
    });
  });

  it('times out if the server does not respond', async () => {
    await using server = await startScriptedServer(neverRespond);
    await expect(createClient(server).wait(jobId, { timeoutMs: 40 })).rejects.toBeInstanceOf(WaitTimedOut);
  });

  it('stops when the signal of the caller is aborted', async () => {
    await using server = await startScriptedServer(respondWithJson(200, job('running')));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 30);
    await expect(
      createClient(server).wait(jobId, { signal: stop.signal, timeoutMs: 10_000, pollMs: 5 }),
    ).rejects.toMatchObject({ name: 'AbortError' });
  });
});
