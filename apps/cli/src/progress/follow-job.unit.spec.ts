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
  server = await startFakeServer({ jobs: [jobSummary()], events: [...runningJob().records], files: {}, endless: true });
  stderr = new FakeStream();
});
afterEach(() => server.close());

function follow(maxReconnects: number, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<unknown> {
  const out = new Output({ stdout: new FakeStream(), stderr, env: {}, json: false, color: false });
  const client = new PhaselineClient({ baseUrl: server.url, retries: 0, fetch, backoff: () => 1 });
  const { signal } = new AbortController();
  return followJob(client, jobId, { out, now: Date.now, signal, maxReconnects, standstillMs: 600_000 });
}

/** Answers as the server does, but breaks every connection from the second one on, up to number `cuts`. */
function cutting(cuts: number): typeof globalThis.fetch {
  let connections = 0;
  return async (url, init) => {
    connections += 1;
    if (connections > 1 && connections <= cuts) throw new TypeError('fetch failed');
    const response = await fetch(url, init);
    if (connections > cuts) return response;
    // The first one ends in the middle of the job.
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return new Response(value, { headers: response.headers });
  };
}

it('a server that stays away ends the watch with the id of the job and the way back to it', async () => {
  await expect(follow(5, cutting(Infinity))).rejects.toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining(`phaseline watch ${jobId}`),
  });
  expect(stderr.text.match(/trying again/g)).toHaveLength(1);
  expect(stderr.text).toContain(jobId);
});

it('a server that comes back is watched on, and both are said once', async () => {
  const over = follow(100, cutting(20));
  over.catch(() => undefined);
  await expect.poll(() => stderr.text).toContain('The server answers again.');
  expect(stderr.text.match(/trying again/g)).toHaveLength(1);
});
