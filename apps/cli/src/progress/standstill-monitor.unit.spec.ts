import { afterEach, beforeEach, expect, it } from 'vitest';
import { Output } from '../output/output.js';
import { PhaselineClient } from '@phaseline/client';
import { jobSummary, runningJob } from '../testing/example-job.js';
import { startFakeServer, type FakeServer } from '../testing/fake-server.js';
import { FakeStream } from '../testing/fake-streams.js';
import { followJob } from './follow-job.js';

const waitsFor = { kind: 'message' as const, description: 'a worker', problem: 'there is none\u001b[2J' };
let server: FakeServer;
beforeEach(async () => {
  server = await startFakeServer({
    jobs: [jobSummary({ waitsFor })],
    events: [...runningJob().records],
    files: {},
    isEndless: true,
  });
});
afterEach(() => server.close());

/** Follows a job without new events until the output matches `expected`. */
async function follow(options: { json?: boolean; columns?: number }, expected: RegExp): Promise<string> {
  const stop = new AbortController();
  const stdout = new FakeStream(options.columns);
  const out = new Output({ stdout, stderr: new FakeStream(), env: {}, json: options.json ?? false, color: false });
  const client = new PhaselineClient({ baseUrl: server.url, retries: 0 });
  const { jobId } = jobSummary();
  const following = followJob(client, jobId, { out, now: Date.now, signal: stop.signal, standstillMs: 50 });
  following.catch(() => undefined);
  await expect.poll(() => stdout.text, { timeout: 10_000 }).toMatch(expected);
  stop.abort();
  await expect(following).rejects.toBeDefined();
  return stdout.text;
}

it('shows once what a job without new events waits for', async () => {
  const text = await follow({}, /waits for a worker \(there is none·\[2J\)\n/);
  expect(text.match(/waits for/g)).toHaveLength(1);
});

it('writes a record with --json', async () => {
  const text = await follow({ json: true }, /"kind":"waiting"/);
  expect(text.split('\n').filter((line) => line.includes('"kind":"waiting"'))).toEqual([
    JSON.stringify({ kind: 'waiting', waitsFor }),
  ]);
});

it('shows it in the live view on a terminal', async () => {
  expect(await follow({ columns: 80 }, / {2}waits for a worker/)).not.toContain('none\u001b');
});
