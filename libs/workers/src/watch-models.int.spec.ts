import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAiModel, modelProfileSchema } from '@phaseline/model';
import { Progress } from '@phaseline/service';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { watchModels } from './watch-models.js';

/** Open responses of a model server that sends only what the spec writes. */
const responses: ServerResponse[] = [];
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  responses.push(response);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('a model that sends bytes makes progress, however slowly; one that is silent beyond its timeout does not', async () => {
  let now = 0;
  const progress = new Progress({ limitMs: 1_000, now: () => now });
  const { port } = server.address() as AddressInfo;
  const profile = modelProfileSchema.parse({
    name: 'slow',
    model: 'slow',
    timeouts: { firstByteMs: 60_000, idleMs: 20_000 },
  });
  const model = createOpenAiModel({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'k',
    profile,
    countTokens: (text) => text.length,
  });
  const models = watchModels({ find: () => ({ profile, model, contextTokens: 10_000 }) }, progress);
  const stop = new AbortController();
  const call = progress.run('phase 1', async () => {
    const found = await models.find('slow');
    const request = { messages: [{ role: 'user' as const, content: 'hello' }], tools: [] };
    return found!.model.complete(request, { signal: stop.signal });
  });
  call.catch(() => undefined);
  await expect.poll(() => responses.length, { timeout: 10_000 }).toBe(1);
  // No problem yet: the profile's timeout, plus the grace in which the client stops by itself.
  now = 69_000;
  expect(progress.describeStall()).toBeUndefined();
  now = 71_000;
  expect(progress.describeStall()).toMatch(
    /^phase 1, which waits for the model slow, has made no progress for 1 min 11 s/,
  );
  // A keep-alive comment counts as progress.
  responses[0]!.write(': still thinking\n\n');
  await expect.poll(() => progress.describeStall(), { timeout: 10_000 }).toBeUndefined();
  now += 29_000;
  expect(progress.describeStall()).toBeUndefined();
  now += 2_000;
  expect(progress.describeStall()).toMatch(/its limit is 30 s/);
  stop.abort();
  await expect(call).rejects.toThrow();
  expect(progress.describeStall()).toBeUndefined();
});
