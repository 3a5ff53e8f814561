import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * docs/agents.md, followed to the letter by somebody who reads nothing else: files are made from its blocks, commands are run as
 * they stand there, one shell after the other.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));

interface Block {
  readonly kind: string;
  /** The file that the line before it names. */
  readonly file: string | undefined;
  readonly text: string;
}

let folder: string;
let blocks: readonly Block[];
let stack: ChildProcess | undefined;

beforeAll(async () => {
  const page = await readFile(join(root, 'docs/agents.md'), 'utf8');
  const [, chapter = ''] = /^## A new agent in ten minutes\n([^]*?)^## /m.exec(page) ?? [];
  blocks = [...chapter.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([^]*?)^```$/gm)].map(([, file, kind, text]) => ({
    kind: kind!,
    file,
    text: text!,
  }));
  folder = await mkdtemp(join(tmpdir(), 'agents-page-'));
  // The user that PostgreSQL runs as must get through to its data.
  await chmod(folder, 0o755);
  // What `npm ci` makes; the build is the tests' own.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"private":true,"scripts":{"build":"true"}}\n');
});
afterAll(async () => {
  if (stack && stack.exitCode === null) {
    const ended = new Promise((resolve) => stack!.once('close', resolve));
    process.kill(-stack.pid!, 'SIGINT');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

/** What the shell of the reader has exported so far. */
const exported: string[] = [];

function shell(script: string): ChildProcess & { readonly out: () => string; readonly err: () => string } {
  const child = spawn('bash', ['-euc', [...exported, script].join('\n')], {
    cwd: folder,
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  return Object.assign(child, { out: () => out, err: () => err });
}

async function run(script: string): Promise<string> {
  const child = shell(script);
  const code = await new Promise((resolve) => child.once('close', resolve));
  const said = code === 0 ? '' : child.out() + child.err();
  expect({ script, code, said }).toEqual({ script, code: 0, said: '' });
  exported.push(...script.split('\n').filter((line) => line.startsWith('export ')));
  return child.out();
}

it('makes an agent that goes its way, from the page alone', { timeout: 240_000 }, async () => {
  expect(blocks.length).toBeGreaterThanOrEqual(8);
  const said: string[] = [];
  for (const { kind, file, text } of blocks) {
    if (file !== undefined) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    } else if (text.trim() === 'npx phaseline up') {
      const running = shell(text);
      stack = running;
      await expect.poll(() => running.out(), { timeout: 60_000 }).toContain('http://127.0.0.1:7070');
    } else {
      expect(kind).toBe('bash');
      said.push(await run(text));
    }
  }
  const all = said.join('\n');
  expect(all).toMatch(/^All definitions are valid: 4 agents, /m);
  expect(all).toMatch(/^minutes\s+phase-alternation/m);
  expect(all).toMatch(/✓ Job completed after \d+ strategic phases? and 1 tactical phase/);
  expect(all.match(/job completed ·/g)).toHaveLength(3);
  // The change is in the second job of the system and not in the first: they were made of different definitions.
  const api = 'http://127.0.0.1:7070/v1/jobs';
  const { items } = (await (await fetch(api)).json()) as { items: { jobId: string; agent: string; status: string }[] };
  expect(items.map(({ agent, status }) => `${agent} ${status}`)).toEqual(items.map(() => 'minutes completed'));
  const hashes = await Promise.all(
    items.map(
      async ({ jobId }) => /"agentHash": ?"(\w+)"/.exec(await run(`npx phaseline events ${jobId} --json`))?.[1],
    ),
  );
  expect(new Set(hashes).size).toBe(2);
  expect(hashes).not.toContain(undefined);
});
