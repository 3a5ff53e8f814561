import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PhaselineClient } from '@phaseline/client';
import { getTypescriptArguments } from '@phaseline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const MEBIBYTE = 1024 * 1024;
const FILE_BYTES = 240 * MEBIBYTE;
/**
 * Memory in bytes by which the service may grow while a file is stored and read back. It holds only pieces in transit;
 * the measured growth (30 to 126 MiB on a busy machine) is mostly verified pieces of 1 MiB that wait for garbage
 * collection. The whole file alone would take 240 MiB, and its way to and from the database much more.
 */
const GROWTH_BYTES = 180 * MEBIBYTE;

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

interface Report {
  readonly status: number;
  readonly jobId: string;
  readonly sent: string;
  readonly received: string;
}

/** Sends a file and reads it back, in another process. */
async function roundTrip(bytes: number): Promise<Report> {
  const caller = new URL('../testing/large-file-caller.ts', import.meta.url);
  const child = spawn(process.execPath, getTypescriptArguments(caller, orchestrator.url, String(bytes)), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Report;
}

/** Returns the peak memory of this process since the last call, in bytes. */
async function peak(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8');
  await writeFile('/proc/self/clear_refs', '5');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

/**
 * Collects garbage periodically until the returned function is called. Unreferenced memory, about 64 MiB of it on a
 * busy machine, is not part of the measurement.
 */
function collectGarbage(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const timer = setInterval(collect, 400);
  return () => clearInterval(timer);
}

describe.skipIf(process.platform !== 'linux')('a file of 240 MB', () => {
  it('passes through the service in pieces', { timeout: 240_000 }, async () => {
    // Allocate everything that is created only once before measuring.
    await roundTrip(5 * MEBIBYTE);
    const stop = collectGarbage();
    await peak();
    const before = process.memoryUsage.rss();

    const { status, jobId, sent, received } = await roundTrip(FILE_BYTES);
    expect({ status, received }).toEqual({ status: 201, received: sent });
    const growth = (await peak()) - before;
    stop();
    expect(await client.files(jobId)).toContainEqual({
      path: 'documents/large.bin',
      size: FILE_BYTES,
      hash: sent,
      writtenAt: expect.any(String),
    });
    expect(growth).toBeLessThan(GROWTH_BYTES);
  });
});

describe('a file', () => {
  it('can be read in part, and HEAD returns its size', async () => {
    const content = randomBytes(2 * MEBIBYTE);
    const { jobId } = await client.submit({ agent: 'writer' }, { files: [{ name: 'a.bin', content }] });
    const get = (headers: Record<string, string>, method = 'GET'): Promise<Response> =>
      orchestrator.fetch(`/v1/jobs/${jobId}/files/documents/a.bin`, { method, headers });
    const at = MEBIBYTE - 1_000;
    const part = await get({ range: `bytes=${at}-${at + 300_000}` });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${at}-${at + 300_000}/${2 * MEBIBYTE}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(at, at + 300_001))).toBe(true);
    const behind = await get({ range: `bytes=${2 * MEBIBYTE}-` });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, `bytes */${2 * MEBIBYTE}`]);
    const head = await get({}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(2 * MEBIBYTE)]);
  });
});
