import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * `phaseline secrets set` in a pseudo terminal, which `script` of util-linux opens. A shell around the command prints the settings of the
 * terminal before and after it.
 */
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const VALUE = 'never-shown-value-0123456789';

let server: Server;
let folder: string;
const received: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-prompt-'));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push(body);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ tenant: 'default', name: 'TOKEN', storedBy: 'ada', storedAt: '2026-01-01T00:00:00.000Z' }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** Types text when the prompt is shown. Returns everything that the terminal showed. */
async function enter(keys: string): Promise<{ shown: string; before: string; after: string; code: string }> {
  const command = `stty -a | tr '\\n' ' '; echo END; "$NODE" "$PROGRAM" secrets set TOKEN; echo "code $?"; stty -a | tr '\\n' ' '; echo END`;
  const { PATH, HOME } = process.env;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PATH, HOME, TERM: 'xterm', SHELL: '/bin/sh', NODE: process.execPath, PROGRAM: program, PHASELINE_URL: url },
  });
  let shown = '';
  child.stderr.resume();
  let isTyped = false;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (isTyped || !shown.includes('(not shown)')) return;
    isTyped = true;
    child.stdin.write(keys);
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000);
  await once(child, 'close');
  clearTimeout(limit);
  const [, before = '', after = ''] = /^(.*?)END[^]*code \d+\s+(.*?)END/.exec(shown) ?? [];
  return { shown, before: before.trim(), after: after.trim(), code: /code (\d+)/.exec(shown)?.[1] ?? '' };
}

describe('a value that is typed in a terminal', () => {
  it('is stored as it was corrected, never shown, and the terminal shows what is typed afterwards', async () => {
    const { shown, before, after, code } = await enter(`${VALUE}x\u007f\r`);
    expect({ code, shown }).toEqual({ code: '0', shown: expect.stringContaining('Stored TOKEN') });
    expect(received).toEqual([expect.stringContaining(`"${VALUE}"`)]);
    for (const part of [VALUE, VALUE.slice(0, 8), VALUE.slice(-8)]) expect(shown).not.toContain(part);
    expect(before).toMatch(/ echo /);
    expect(after).toBe(before);
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('is not stored after %s, nor shown, and the terminal is as it was', async (_, key) => {
    received.length = 0;
    const { shown, before, after, code } = await enter(`${VALUE}${key}`);
    expect(code).not.toBe('0');
    expect(shown).toContain('Nothing was stored.');
    expect(shown).not.toContain(VALUE.slice(0, 8));
    expect(shown).not.toMatch(/\bat .*\.js:\d+/);
    expect(received).toEqual([]);
    expect(before).toMatch(/ echo /);
    expect(after).toBe(before);
  });
});
