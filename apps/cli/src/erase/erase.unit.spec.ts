import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { createFakeHost } from '../testing/fake-streams.js';

const jobId = '01234567-89ab-8def-8123-0123456789ab';
let server: Server;
let erasures: unknown[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      erasures.push(JSON.parse(Buffer.concat(pieces).toString()));
      const erasure = { actor: 'ada', erasedAt: '2026-03-01T10:00:00.000Z', reason: 'asked' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jobId, changed: erasures.length === 1, erasure }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  erasures = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function erase(typed: string | undefined, ...options: string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
  input.end(typed ?? '');
  const host = createFakeHost({
    input,
    env: { PHASELINE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  });
  const code = await runCli(['erase', jobId, ...options], host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

it.each(['no\n', '\n', '', 'y\n'])('asks on a terminal, and treats %j as no', async (typed) => {
  const { code, err } = await erase(typed);
  expect(err).toMatch(/permanently erases[^]*backups[^]*Nothing was erased/);
  expect(code).not.toBe(0);
  expect(erasures).toEqual([]);
});

it('erases after a yes, and lists what is erased and what is kept', async () => {
  const { code, out } = await erase('yes\n', '--reason', 'asked');
  expect(code).toBe(0);
  expect(erasures).toEqual([{ reason: 'asked' }]);
  expect(out).toMatch(/Erased: task[^]*Kept: that the job existed[^]*Not erased: backups/);
  expect((await erase('yes\n')).out).toBe(
    `${jobId} was already erased at 2026-03-01 10:00:00.000 UTC by ada: asked.\n`,
  );
});

it('requires --yes without a terminal and with --json', async () => {
  expect(await erase(undefined)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
  expect(await erase('yes\n', '--json')).toMatchObject({ code: 2 });
  expect(erasures).toEqual([]);
  const { code, out } = await erase(undefined, '--yes', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ jobId, changed: true, erasure: { actor: 'ada' } });
});
