import type { IncomingMessage } from 'node:http';
import { startLocalServer, type LocalServer } from '@phaseline/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingsUnavailable } from './embeddings-unavailable.js';
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
  readonly body: { readonly input: string[]; readonly dimensions?: number };
  readonly authorization: string | undefined;
  readonly url: string | undefined;
}

const RETRIES = { maxAttempts: 5, backoff: { firstMs: 1, maxMs: 20_000 } };

describe('HttpEmbedder, against a real server', () => {
  let server: LocalServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  /** Starts a server that first sends the given responses, then valid ones in reverse order. The vector of a text is its length and 1. */
  async function serve(...first: { status: number; body?: string; headers?: Record<string, string> }[]) {
    const seen: SeenRequest[] = [];
    server = await startLocalServer((request, response) => {
      void readBody(request).then((text) => {
        const body = JSON.parse(text) as SeenRequest['body'];
        seen.push({ body, authorization: request.headers.authorization, url: request.url });
        const scripted = first.shift();
        if (scripted) return response.writeHead(scripted.status, scripted.headers).end(scripted.body ?? '');
        const data = body.input.map((one, index) => ({ index, embedding: [one.length, 1] })).reverse();
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
      });
    });
    const settings = { url: `${server.url}/v1/`, apiKey: 'key', model: 'm' };
    return { seen, settings, embedder: new HttpEmbedder(settings, RETRIES) };
  }

  it('sends batches and returns the vectors in the order of the texts', async () => {
    const { seen, embedder } = await serve();
    const texts = Array.from({ length: 150 }, (_, i) => 'x'.repeat(i + 1));
    const vectors = await embedder.embed(texts, signal);
    expect(vectors.map((vector) => Math.round(vector[0]! / vector[1]!))).toEqual(texts.map(({ length }) => length));
    expect(seen.map(({ body }) => body.input.length)).toEqual([64, 64, 22]);
    expect(seen[0]).toMatchObject({ authorization: 'Bearer key', url: '/v1/embeddings' });
    await embedder.embed(['y'.repeat(60_000), 'y'.repeat(60_000)], signal);
    expect(seen).toHaveLength(5);
  });

  it('requests the number of dimensions, and names it where vectors are stored', async () => {
    const { seen, settings, embedder } = await serve();
    const { host } = new URL(settings.url);
    const smaller = new HttpEmbedder({ ...settings, dimensions: 256 });
    await embedder.embed(['abc'], signal);
    await smaller.embed(['abc'], signal);
    expect(seen.map(({ body }) => body.dimensions)).toEqual([undefined, 256]);
    expect([embedder.space, smaller.space]).toEqual([`m@${host}`, `m@${host}-256`]);
    expect([embedder.model, smaller.model]).toEqual(['m', 'm-256']);
  });

  it('repeats requests after temporary failures', async () => {
    const { seen, embedder } = await serve({ status: 429, headers: { 'retry-after': '0' } }, { status: 503 });
    expect(await embedder.embed(['abc'], signal)).toHaveLength(1);
    expect(seen).toHaveLength(3);
  });

  it('repeats no request for a caller that does it itself', async () => {
    const { seen, settings } = await serve({ status: 503 });
    await expect(new HttpEmbedder(settings).embed(['abc'], signal)).rejects.toThrow(EmbeddingsUnavailable);
    expect(seen).toHaveLength(1);
  });

  it('follows no redirect, so that the texts and the key reach no other server', async () => {
    const { seen, settings } = await serve({ status: 307, headers: { location: '/elsewhere' } });
    await expect(new HttpEmbedder(settings).embed(['abc'], signal)).rejects.toThrow('did not answer');
    expect(seen.map(({ url }) => url)).toEqual(['/v1/embeddings']);
  });

  const huge = `${' '.repeat(256 * 1024)}{"data":[{"index":0,"embedding":[3,1]}]}`;

  it.each([
    ['a wrong key', { status: 401, body: 'wrong key' }, 1, false, /with status 401$/, 'wrong key'],
    ['a long refusal', { status: 400, body: 'x'.repeat(5_000) }, 1, false, /with status 400$/, 'x'.repeat(300)],
    ['a missing vector', { status: 200, body: '{"data":[]}' }, 1, false, /did not return one vector/, ''],
    ['other text', { status: 200, body: 'no json' }, 1, false, /does not follow the protocol/, ''],
    ['a huge answer', { status: 200, body: huge }, 1, false, /does not follow the protocol/, ''],
    ['a broken server', { status: 500 }, 5, true, /with status 500$/, ''],
  ])('fails after %s', async (_name, scripted, requests, isTemporary, message, excerpt) => {
    const { seen, embedder } = await serve(...Array.from({ length: 5 }, () => scripted));
    const failure = await embedder.embed(['abc'], signal).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EmbeddingsUnavailable);
    expect(failure).toMatchObject({ isTemporary, excerpt, message: expect.stringMatching(message) as string });
    // Loggers write the properties of an error.
    expect(JSON.stringify(failure)).not.toContain('wrong key');
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
