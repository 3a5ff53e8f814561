import { startLocalServer, type LocalServer } from '@phaseline/testing';
import { afterEach, expect, it } from 'vitest';
import { createFileEmbedder } from './file-embedder.js';

const { signal } = new AbortController();

let server: LocalServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(status: number, answer: string) {
  server = await startLocalServer((_request, response) => {
    response.writeHead(status, { 'retry-after': '0' }).end(answer);
  });
  return { requests: server.requests, embedder: createFileEmbedder({ url: server.url, model: 'm' }) };
}

it('a refusal of the server is an error that tells the model why, and what to do', async () => {
  const { requests, embedder } = await serve(401, 'wrong key');
  await expect(embedder.embed(['abc'], signal)).rejects.toMatchObject({
    name: 'ToolError',
    code: 'embeddings_unavailable',
    retryable: false,
    message:
      'There are no embeddings, because the server of embeddings answered with status 401: wrong key. Use search_files instead.',
  });
  expect(requests).toHaveLength(1);
});

it('a call is worth another attempt if the server fails five times', async () => {
  const { requests, embedder } = await serve(503, '');
  await expect(embedder.embed(['abc'], signal)).rejects.toMatchObject({ name: 'ToolError', retryable: true });
  expect(requests).toHaveLength(5);
});

it('a cancelled call ends with the reason of its end', async () => {
  const { embedder } = await serve(503, '');
  await expect(embedder.embed(['abc'], AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
});

it('compares words on this machine without a server', () => {
  expect(createFileEmbedder(undefined).space).toMatch(/^local-/);
});
