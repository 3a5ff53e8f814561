import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpEmbedder } from './http-embedder.js';
import { LocalEmbedder } from './local-embedder.js';

const { signal } = new AbortController();
const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe('LocalEmbedder', () => {
  const local = new LocalEmbedder();

  it('returns the same vector of length 1 for the same text', async () => {
    const [one, two] = await local.embed(['The gate is closed.', 'The gate is closed.'], signal);
    expect(one).toEqual(two);
    expect(cosine(one!, one!)).toBeCloseTo(1, 5);
    expect((await local.embed(['', '…'], signal)).map((vector) => cosine(vector, vector))).toEqual([0, 0]);
  });

  it.each([
    ['When is the gate closed?', 'Gates are closing at ten.', 'Invoices are paid within a month.'],
    ['Aufbewahrungsfrist für Belege', 'Belege sind zehn Jahre aufzubewahren.', 'Der Kran wird bei Sturm verriegelt.'],
    ['retension period', 'The retention period is ten years.', 'The reading room opens at nine.'],
    [
      'data protection officer',
      'A data-protection officer is named.',
      'The officer on duty opens the gate and the yard.',
    ],
  ])('ranks %s nearer to "%s" than to "%s"', async (query, near, far) => {
    const [q, n, f] = await local.embed([query, near, far], signal);
    expect(cosine(q!, n!)).toBeGreaterThan(cosine(q!, f!) + 0.05);
  });
});

interface SeenRequest {
  readonly input: string[];
  readonly authorization: string | undefined;
  readonly url: string | undefined;
}

describe('HttpEmbedder, against a real server', () => {
  let server: Server | undefined;
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((done) => (server ? server.close(done) : done(undefined)));
    server = undefined;
  });

  /** Starts a server that first sends the given responses, then valid ones in reverse order. The vector of a text is its length and 1. */
  async function serve(...first: { status: number; body?: string; headers?: Record<string, string> }[]) {
    const seen: SeenRequest[] = [];
    server = createServer((request, response) => {
      void readBody(request).then((body) => {
        const { input } = JSON.parse(body) as { input: string[] };
        seen.push({ input, authorization: request.headers.authorization, url: request.url });
        const scripted = first.shift();
        if (scripted) return response.writeHead(scripted.status, scripted.headers).end(scripted.body ?? '');
        const data = input.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse();
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
      });
    });
    await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const embedder = new HttpEmbedder({
      baseUrl: `http://127.0.0.1:${port}/v1/`,
      apiKey: 'key',
      model: 'm',
      backoffMs: 1,
    });
    return { seen, embedder };
  }

  it('sends batches and returns the vectors in the order of the texts', async () => {
    const { seen, embedder } = await serve();
    const texts = Array.from({ length: 150 }, (_, i) => 'x'.repeat(i + 1));
    const vectors = await embedder.embed(texts, signal);
    expect(vectors.map((vector) => Math.round(vector[0]! / vector[1]!))).toEqual(texts.map(({ length }) => length));
    expect(seen.map(({ input }) => input.length)).toEqual([64, 64, 22]);
    expect(seen[0]).toMatchObject({ authorization: 'Bearer key', url: '/v1/embeddings' });
    await embedder.embed(['y'.repeat(60_000), 'y'.repeat(60_000)], signal);
    expect(seen).toHaveLength(5);
  });

  it('retries temporary failures', async () => {
    const { seen, embedder } = await serve({ status: 429, headers: { 'retry-after': '0' } }, { status: 503 });
    expect(await embedder.embed(['abc'], signal)).toHaveLength(1);
    expect(seen).toHaveLength(3);
  });

  it.each([
    [{ status: 401, body: 'wrong key' }, 1, false, /401 wrong key/],
    [{ status: 200, body: '{"data":[]}' }, 1, false, /did not return one vector/],
    [{ status: 200, body: 'no json' }, 1, false, /does not follow the protocol/],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 5, true, /./],
    [{ status: 500 }, 5, true, /500/],
  ])('fails on %j', async (scripted, requests, retryable, message) => {
    const { seen, embedder } = await serve(...Array.from({ length: 5 }, () => scripted));
    await expect(embedder.embed(['abc'], signal)).rejects.toMatchObject({
      code: 'embeddings_unavailable',
      retryable,
      message: expect.stringMatching(message) as string,
    });
    expect(seen).toHaveLength(requests);
  });

  it('fails immediately when the call is cancelled', async () => {
    const { embedder } = await serve({ status: 429, headers: { 'retry-after': '20' } });
    const abort = new AbortController();
    const embedding = embedder.embed(['abc'], abort.signal);
    setTimeout(() => abort.abort(new Error('cancelled')), 50);
    await expect(embedding).rejects.toThrow();
    expect(abort.signal.aborted).toBe(true);
  });
});

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
