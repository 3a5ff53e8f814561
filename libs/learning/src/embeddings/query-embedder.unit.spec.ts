import { HttpEmbedder } from '@phaseline/embeddings';
import { startLocalServer, type LocalServer } from '@phaseline/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PAUSE_MS, QueryEmbedder } from './query-embedder.js';

let server: LocalServer;
let isHanging: boolean;
let nowMs: number;
/** Deadlines of the searches that wait. The server passes them when it has received a request that it does not answer, so that no spec waits. */
let deadlines: { readonly ms: number; readonly controller: AbortController }[];
let problems: unknown[];
let embedder: QueryEmbedder;

beforeEach(async () => {
  isHanging = true;
  nowMs = 5;
  deadlines = [];
  problems = [];
  server = await startLocalServer((_request, response) => {
    if (isHanging) for (const { controller } of deadlines) controller.abort();
    else response.end(JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }] }));
  });
  embedder = new QueryEmbedder(new HttpEmbedder({ url: server.url, model: 'm' }), {
    onProblem: (error) => void problems.push(error),
    clock: {
      now: () => nowMs,
      timeout: (ms) => {
        const controller = new AbortController();
        deadlines.push({ ms, controller });
        return controller.signal;
      },
    },
  });
});
afterEach(() => server.close());

it('after a failure searches do not ask the server until the pause is over', async () => {
  expect(await embedder.embed('first')).toBeUndefined();
  nowMs += PAUSE_MS - 1;
  expect(await Promise.all([embedder.embed('second'), embedder.embed('third')])).toEqual([undefined, undefined]);
  expect(server.requests).toHaveLength(1);
  expect(deadlines.map(({ ms }) => ms)).toEqual([1_500]);
  expect(problems).toHaveLength(1);
  isHanging = false;
  nowMs += 1;
  expect(await embedder.embed('fourth')).toEqual(Float32Array.of(0.6, 0.8));
  expect(await embedder.embed('fifth')).toEqual(Float32Array.of(0.6, 0.8));
  expect(server.requests).toHaveLength(3);
});

it('only one search finds out whether the server answers again, and a server that does not is left alone for another pause', async () => {
  await embedder.embed('first');
  nowMs += PAUSE_MS;
  await Promise.all([embedder.embed('second'), embedder.embed('third'), embedder.embed('fourth')]);
  expect(server.requests).toHaveLength(2);
  nowMs += PAUSE_MS - 1;
  await embedder.embed('fifth');
  expect(server.requests).toHaveLength(2);
  expect(problems).toHaveLength(2);
});

it('searches before the first failure ask the server at the same time', async () => {
  isHanging = false;
  const vectors = await Promise.all([embedder.embed('first'), embedder.embed('second')]);
  expect(vectors).toEqual([Float32Array.of(0.6, 0.8), Float32Array.of(0.6, 0.8)]);
  expect(problems).toEqual([]);
});
