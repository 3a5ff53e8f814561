import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getTestRedisUrl } from '@phaseline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Runs the snippets of the README and of docs/how-to/submit-jobs.md in an empty folder outside the repository, with only
 * the packages that they say to install. This finds dependencies that a snippet needs and its reader does not have.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

interface Block {
  readonly kind: string;
  /** The file named in the line before the block. */
  readonly file: string | undefined;
  readonly text: string;
}

let blocks: readonly Block[];
let folder: string;
let stack: ChildProcess | undefined;

beforeAll(async () => {
  const pages = ['README.md', 'docs/how-to/submit-jobs.md'].map((path) => readFile(join(root, path), 'utf8'));
  const text = (await Promise.all(pages)).join('\n');
  blocks = [...text.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([^]*?)^```$/gm)].map(([, file, kind, text]) => ({
    kind: kind!,
    file,
    text: text!,
  }));
  folder = await mkdtemp(join(tmpdir(), 'readme-'));
  // The user that runs PostgreSQL must be able to reach its data.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'project'));
  await writeFile(join(folder, 'project/package.json'), '{"private":true}\n');
  await writeFile(join(folder, 'project/spec.md'), 'The service must answer each request within a second.\n');
});
afterAll(async () => {
  await stopStack();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Blocks that other specs, or CI on a clean clone, run. A block that is neither here nor below fails the spec.
 */
const runElsewhere: readonly (readonly [RegExp, string, string])[] = [
  [/^npm ci\nnpm run demo\n$/, '.ci/run', 'npm run demo'],
  [/^npm run demo -- --document /, 'apps/cli/src/stack/demo.e2e.spec.ts', '--document'],
  [/^export OPENAI_BASE_URL=/, 'apps/cli/src/stack/stack-plan.unit.spec.ts', 'OPENAI_BASE_URL'],
  [/^npm test /, '.ci/run', 'npm test'],
];

/** Matches blocks of commands for a running system. */
const COMMANDS = /^npx phaseline /;

it('every block is run, here or by CI', async () => {
  for (const { kind, file, text } of blocks) {
    if (file !== undefined || /^npm install /.test(text) || COMMANDS.test(text)) continue;
    const elsewhere = runElsewhere.find(([pattern]) => pattern.test(text));
    expect(elsewhere, `\`\`\`${kind}\n${text}`).toBeDefined();
    expect(await readFile(join(root, elsewhere![1]), 'utf8')).toContain(elsewhere![2]);
  }
});

describe('from an empty folder', { timeout: 240_000 }, () => {
  it('submits with the client from a tarball, and waits for the result', async () => {
    await pack();
    await install(/phaseline-client/);
    await startStack('postgres');
    const output = await snippet('submit.mjs', { PHASELINE_URL: await stackUrl() });
    expect(output).toMatch(/^\d+ JobSubmitted$/m);
    expect(output).toMatch(/^\d+ JobCompleted$/m);
    expect(output.split('\n').length).toBeGreaterThan(30);
  });

  it('runs the commands for operators, auditors and authors', async () => {
    const commands = blocks.filter(({ text }) => COMMANDS.test(text));
    expect(commands.length).toBeGreaterThanOrEqual(4);
    for (const { text } of commands) {
      const script = `npx() { shift; "${process.execPath}" "${join(root, 'apps/cli/dist/main.js')}" "$@"; }\n${text}`;
      await run('bash', ['-euc', script], { cwd: join(folder, 'project'), env: stackEnvironment() });
    }
  });

  it('adds to the queue on PostgreSQL, with a login that may do nothing else', async () => {
    await install(/^npm install pg$/m);
    const { stdout: url } = await phaseline('producers', 'create', 'shop');
    const before = await jobCount();
    await snippet('enqueue-postgres.mjs', { PHASELINE_PRODUCER_URL: url.trim() });
    await expect.poll(jobCount).toBe(before + 1);
    await stopStack();
  });

  it.skipIf(getTestRedisUrl() === undefined)('adds to the queue on Redis', async () => {
    await install(/^npm install bullmq/m);
    await startStack('redis');
    const before = await jobCount();
    const { redisUrl } = JSON.parse(await readFile(join(folder, 'state/state.json'), 'utf8')) as { redisUrl: string };
    await snippet('enqueue-redis.mjs', { REDIS_URL: redisUrl });
    await expect.poll(jobCount).toBe(before + 1);
  });
});

async function pack(): Promise<void> {
  await run(process.execPath, [join(root, 'scripts/pack-client.mjs'), join(folder, 'project')]);
}

/**
 * Does what the `npm install` of a block does, from the packages of this repository instead of a registry: installs
 * each named package with its dependencies, but without optional peers, which npm does not install either.
 */
async function install(pattern: RegExp): Promise<void> {
  const line = blocks.find(({ text }) => /^npm install /.test(text) && pattern.test(text));
  expect(line).toBeDefined();
  for (const name of line!.text.trim().split(/\s+/).slice(2)) {
    if (name.endsWith('.tgz')) {
      const target = join(folder, 'project/node_modules/@phaseline/client');
      await mkdir(target, { recursive: true });
      await run('tar', ['xzf', name, '-C', target, '--strip-components', '1'], { cwd: join(folder, 'project') });
      const { dependencies } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as Manifest;
      expect(Object.keys(dependencies ?? {})).toEqual(['zod']);
      await copyPackage('zod', root);
    } else {
      await copyPackage(name, root);
    }
  }
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function copyPackage(name: string, from: string): Promise<void> {
  const target = join(folder, 'project/node_modules', name);
  const source = (createRequire(join(from, 'package.json')).resolve.paths(name) ?? []).map((path) => join(path, name));
  for (const place of source) {
    const manifest = await readFile(join(place, 'package.json'), 'utf8').catch(() => undefined);
    if (manifest === undefined) continue;
    await mkdir(dirname(target), { recursive: true });
    await cp(place, target, { recursive: true, force: false });
    for (const dependency of Object.keys((JSON.parse(manifest) as Manifest).dependencies ?? {}))
      if (!(await exists(join(folder, 'project/node_modules', dependency)))) await copyPackage(dependency, place);
    return;
  }
  throw new Error(`${name} is not installed in this repository`);
}

const exists = (path: string): Promise<boolean> =>
  readdir(path).then(
    () => true,
    () => false,
  );

async function snippet(file: string, env: Record<string, string>): Promise<string> {
  const block = blocks.find((one) => one.file === file);
  expect(block?.kind).toBe('js');
  await writeFile(join(folder, 'project', file), block!.text);
  const { stdout } = await run(process.execPath, [file], {
    cwd: join(folder, 'project'),
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    timeout: 120_000,
  });
  return stdout;
}

function phaseline(...args: readonly string[]): Promise<{ stdout: string }> {
  return run(process.execPath, [join(root, 'apps/cli/dist/main.js'), ...args], {
    cwd: folder,
    env: stackEnvironment(),
  });
}

function stackEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NO_COLOR: '1',
    PHASELINE_HOME: join(folder, 'state'),
  };
}

/** Starts a stack on its own port, because other specs run stacks too. */
async function startStack(queue: 'postgres' | 'redis'): Promise<void> {
  const port = queue === 'postgres' ? 7391 : 7392;
  stack = spawn(
    process.execPath,
    [join(root, 'apps/cli/dist/main.js'), 'up', '--port', String(port), '--queue-backend', queue],
    {
      cwd: folder,
      env: stackEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let out = '';
  stack.stdout!.on('data', (piece: Buffer) => (out += piece.toString()));
  await expect.poll(() => out, { timeout: 90_000 }).toContain('Phaseline is up at');
}

async function stopStack(): Promise<void> {
  if (!stack || stack.exitCode !== null) return;
  const ended = new Promise((resolve) => stack!.once('close', resolve));
  stack.kill('SIGINT');
  await ended;
  stack = undefined;
}

async function stackUrl(): Promise<string> {
  const state = JSON.parse(await readFile(join(folder, 'state/state.json'), 'utf8')) as { apiUrl: string };
  return state.apiUrl;
}

async function jobCount(): Promise<number> {
  const { stdout } = await phaseline('list', '--json');
  return (JSON.parse(stdout) as { items: unknown[] }).items.length;
}
