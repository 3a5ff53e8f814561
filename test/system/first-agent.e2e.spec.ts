import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * Follows docs/tutorials/first-agent.md literally, as a reader without other knowledge would: creates files from its blocks, and runs
 * its commands unchanged, one shell after another.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));

interface Block {
  readonly kind: string;
  /** The file named in the line before the block. */
  readonly file: string | undefined;
  readonly text: string;
}

let folder: string;
let blocks: readonly Block[];
let stack: ChildProcess | undefined;

beforeAll(async () => {
  const page = await readFile(join(root, 'docs/tutorials/first-agent.md'), 'utf8');
  blocks = [...page.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([^]*?)^```$/gm)].map(([, file, kind, text]) => ({
    kind: kind!,
    file,
    text: text!,
  }));
  folder = await mkdtemp(join(tmpdir(), 'first-agent-'));
  // The user that runs PostgreSQL must be able to reach its data.
  await chmod(folder, 0o755);
  // Replaces `npm ci`; the build is that of the tests.
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

/** The exports of the reader's shell so far. */
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
  const output = code === 0 ? '' : child.out() + child.err();
  expect({ script, code, output }).toEqual({ script, code: 0, output: '' });
  exported.push(...script.split('\n').filter((line) => line.startsWith('export ')));
  return child.out();
}

it('creates an agent that works, from the page alone', { timeout: 240_000 }, async () => {
  expect(blocks.length).toBeGreaterThanOrEqual(8);
  const outputs: string[] = [];
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
      outputs.push(await run(text));
    }
  }
  const all = outputs.join('\n');
  // Those of the reader, besides the shipped ones.
  const shipped = await readdir(join(root, 'agents'));
  expect(all).toContain(`\nAll definitions are valid: ${shipped.length + 1} agents, `);
  expect(all).toMatch(/^minutes\s+phase-alternation/m);
  expect(all).toMatch(/✓ Job completed after \d+ strategic phases? and 1 tactical phase/);
  expect(all.match(/job completed ·/g)).toHaveLength(3);
  // Only the second job has the change: the two ran with different definitions.
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
