import { PhaselineClient } from '@phaseline/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Output } from '../output/output.js';
import { jobSummary, runningJob } from '../testing/example-job.js';
import { startFakeServer, type FakeServer } from '../testing/fake-server.js';
import { FakeStream } from '../testing/fake-streams.js';
import { followJob } from './follow-job.js';

const { jobId } = jobSummary();
let server: FakeServer;
let stderr: FakeStream;
beforeEach(async () => {
  server = await startFakeServer({
    jobs: [jobSummary()],
    events: [...runningJob().records],
    files: {},
    isEndless: true,
  });
  stderr = new FakeStream();
});
afterEach(() => server.close());

function follow(maxReconnects: number, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<unknown> {
  const out = new Output({ stdout: new FakeStream(), stderr, env: {}, json: false, color: false });
  const client = new PhaselineClient({ baseUrl: server.url, retries: 0, fetch, backoff: () => 1 });
  const { signal } = new AbortController();
  return followJob(client, jobId, { out, now: Date.now, signal, maxReconnects, standstillMs: 600_000 });
}

/** A fetch that truncates the first response and then fails connections, up to connection number `cuts`. */
function createCuttingFetch(cuts: number): typeof globalThis.fetch {
  let connections = 0;
  return async (url, init) => {
    connections += 1;
    if (connections > 1 && connections <= cuts) throw new TypeError('fetch failed');
    const response = await fetch(url, init);
    if (connections > cuts) return response;
    // The first response ends in the middle of the job.
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return new Response(value, { headers: response.headers });
  };
}

it('gives up on an unreachable server with the command that watches the job again', async () => {
  await expect(follow(5, createCuttingFetch(Infinity))).rejects.toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining(`phaseline watch ${jobId}`),
  });
  expect(stderr.text.match(/reconnecting/g)).toHaveLength(1);
  expect(stderr.text).toContain(jobId);
});

it('continues when the server comes back, and reports both changes once', async () => {
  const following = follow(100, createCuttingFetch(20));
  following.catch(() => undefined);
  await expect.poll(() => stderr.text).toContain('Connected to the server again.');
  expect(stderr.text.match(/reconnecting/g)).toHaveLength(1);
});
