import { afterEach, beforeEach, expect, it } from 'vitest';
import { Output } from '../output/output.js';
import { PhaselineClient } from '@phaseline/client';
import { jobSummary, runningJob } from '../testing/example-job.js';
import { startFakeServer, type FakeServer } from '../testing/fake-server.js';
import { FakeStream } from '../testing/fake-streams.js';
import { followJob } from './follow-job.js';

const waitsFor = { kind: 'message' as const, text: 'a worker', problem: 'there is none\u001b[2J' };
let server: FakeServer;
beforeEach(async () => {
  server = await startFakeServer({
    jobs: [jobSummary({ waitsFor })],
    events: [...runningJob().records],
    files: {},
    endless: true,
  });
});
afterEach(() => server.close());

/** Follows a job whose events have ceased until something is written that fits. */
async function follow(options: { json?: boolean; columns?: number }, expected: RegExp): Promise<string> {
  const stop = new AbortController();
  const stdout = new FakeStream(options.columns);
  const out = new Output({ stdout, stderr: new FakeStream(), env: {}, json: options.json ?? false, color: false });
  const client = new PhaselineClient({ baseUrl: server.url, retries: 0 });
  const { jobId } = jobSummary();
  const over = followJob(client, jobId, { out, now: Date.now, signal: stop.signal, standstillMs: 50 });
  over.catch(() => undefined);
  await expect.poll(() => stdout.text, { timeout: 10_000 }).toMatch(expected);
  stop.abort();
  await expect(over).rejects.toBeDefined();
  return stdout.text;
}

it('a job that does not move is shown with what it waits for, told once', async () => {
  const text = await follow({}, /waits for a worker \(there is none·\[2J\)\n/);
  expect(text.match(/waits for/g)).toHaveLength(1);
});

it('as a record where that is asked for', async () => {
  const text = await follow({ json: true }, /"kind":"waiting"/);
  expect(text.split('\n').filter((line) => line.includes('"kind":"waiting"'))).toEqual([
    JSON.stringify({ kind: 'waiting', waitsFor }),
  ]);
});

it('on a terminal as one of the lines that are redrawn', async () => {
  expect(await follow({ columns: 80 }, / {2}waits for a worker/)).not.toContain('none\u001b');
});
