import { request as httpRequest } from 'node:http';
import multipart from '@fastify/multipart';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { toApiProblem } from '../problem/to-api-problem.js';
import { addJsonParser, parseJsonBody } from './json-body-parser.js';
import { readBody, refuseOversized } from './read-body.js';
import { readForm } from './read-form.js';

const servers: FastifyInstance[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Starts a server with limits low enough for a test. */
async function serve(): Promise<string> {
  const server = fastify();
  servers.push(server);
  await server.register(multipart, { throwFileSizeLimit: false });
  server.setErrorHandler((error, request, reply) => {
    const { body } = toApiProblem(error, request.id);
    return reply.status(body.status ?? 500).send(body);
  });
  server.post('/form', async (request) => {
    const { fields, documents } = await readForm(
      request,
      { documentBytes: 100_000, formBytes: 250_000 },
      async (source) => {
        let size = 0;
        for await (const chunk of source) size += chunk.byteLength;
        return { hash: 'ab'.repeat(32), size };
      },
    );
    return { fields, documents: documents.map(({ name, content }) => [name, 'size' in content ? content.size : -1]) };
  });
  server.addContentTypeParser('application/json', async (_request: unknown, payload: AsyncIterable<Buffer>) =>
    readBody(payload as never, 100_000, { drain: 5_000_000 }),
  );
  server.post('/body', async (request) => ({ bytes: (request.body as Buffer).byteLength }));
  return server.listen({ port: 0, host: '127.0.0.1' });
}

async function send(
  path: string,
  body: FormData | Uint8Array<ArrayBuffer>,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${await serve()}${path}`, {
    method: 'POST',
    body,
    ...(body instanceof FormData ? {} : { headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, body: await response.json() };
}

function files(sizes: Readonly<Record<string, number>>): FormData {
  const form = new FormData();
  form.append('agent', 'writer');
  for (const [name, size] of Object.entries(sizes)) form.append('files', new Blob([new Uint8Array(size)]), name);
  return form;
}

describe('reading a form', () => {
  it('accepts documents of exactly the maximum size', async () => {
    const { status, body } = await send('/form', files({ 'a.md': 100_000, 'b/c.md': 100_000, 'd.md': 0 }));
    expect(status).toBe(200);
    expect(body).toEqual({
      fields: { agent: 'writer' },
      documents: [
        ['a.md', 100_000],
        ['b/c.md', 100_000],
        ['d.md', 0],
      ],
    });
  });

  it('names the document that is too large, regardless of the data before and after it', async () => {
    const answer = await send('/form', files({ 'a.md': 10, 'huge.pdf': 3_000_000, 'larger.pdf': 4_000_000 }));
    expect(answer).toMatchObject({
      status: 413,
      body: { code: 'document_too_large', message: expect.stringContaining('"huge.pdf"') },
    });
  });

  it('refuses documents that are too large together', async () => {
    const answer = await send('/form', files({ 'a.md': 90_000, 'b.md': 90_000, 'c.md': 90_000, 'd.md': 90_000 }));
    expect(answer).toMatchObject({ status: 413, body: { code: 'request_too_large' } });
  });

  it('refuses more documents than a job may have', async () => {
    const answer = await send(
      '/form',
      files(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`${index}.md`, 1]))),
    );
    expect(answer).toMatchObject({
      status: 413,
      body: { code: 'request_too_large', message: expect.stringContaining('at most 50 documents') },
    });
  });

  it('accepts a part with the content type JSON', async () => {
    const response = await fetch(`${await serve()}/form`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=xx' },
      body: '--xx\r\ncontent-disposition: form-data; name="request"\r\ncontent-type: application/json\r\n\r\n{"agent": "writer"}\r\n--xx--\r\n',
    });
    expect(await response.json()).toMatchObject({ fields: { request: '{"agent":"writer"}' } });
  });
});

describe('reading a body', () => {
  it('accepts a body of exactly the maximum size and refuses a longer one after reading it', async () => {
    expect(await send('/body', new Uint8Array(100_000))).toEqual({ status: 200, body: { bytes: 100_000 } });
    expect(await send('/body', new Uint8Array(4_000_000))).toMatchObject({
      status: 413,
      body: { code: 'request_too_large' },
    });
  });

  it('does not wait for a body with an enormous content-length', () => {
    expect(() => refuseOversized('5000001', 10, 5_000_000)).toThrow(/larger than/);
    expect(() => refuseOversized('5000000', 10, 5_000_000)).not.toThrow();
    expect(() => refuseOversized(undefined, 10)).not.toThrow();
  });

  it('distinguishes an empty body from a broken one', () => {
    expect(parseJsonBody(Buffer.from(''))).toBeUndefined();
    expect(parseJsonBody(Buffer.from(' \n'))).toBeUndefined();
    expect(parseJsonBody(Buffer.from('\ufeff{"a": 1}'))).toEqual({ a: 1 });
    expect(() => parseJsonBody(Buffer.from('{"a": 1'))).toThrow(
      'The body is not valid JSON: line 1, column 8, where it ends. Correct it and send it again.',
    );
  });
});

describe('bodies in memory at the same time', () => {
  it('have a common limit: requests above it are told to retry, and memory is released afterwards', async () => {
    const server = fastify();
    servers.push(server);
    addJsonParser(server, 100_000);
    server.setErrorHandler((error, request, reply) => {
      const { body } = toApiProblem(error, request.id);
      return reply.status(body.status ?? 500).send(body);
    });
    server.post('/', async () => ({ taken: true }));
    const url = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
    const begin = (): { end: () => void; status: Promise<number> } => {
      const request = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' } });
      const status = new Promise<number>((resolve, reject) => {
        request.on('error', reject).on('response', (response) => resolve(response.resume().statusCode ?? 0));
      });
      request.write(`"${'x'.repeat(40_000)}`);
      return { end: () => request.end('"'), status };
    };
    const requests = [begin(), begin(), begin()];
    // Wait until the sent part of all three has been read.
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const { end } of requests) end();
    expect((await Promise.all(requests.map(({ status }) => status))).sort()).toEqual([200, 200, 429]);
    const retry = begin();
    retry.end();
    expect(await retry.status).toBe(200);
  });
});
