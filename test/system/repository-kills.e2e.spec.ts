import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WireServer } from '@phaseline/harness';
import { createWorkflowPolicy } from '@phaseline/stuck';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { git } from '../repository/repository-bench.fixture.js';
import { startAgentStack, type AgentStack } from './agent-stack.fixture.js';
import { buildCoder } from './coder-agent.fixture.js';

/**
 * A job with a repository whose tool-runner is killed during the import, between any two commands, and during the output. Every command
 * waits for an approval, so that a kill hits the time between two of them. Each second kill also takes the working folders, as when
 * another machine takes over.
 */
let folder: string;
let origin: string;
let system: AgentStack | undefined;
let model: WireServer | undefined;

/** Every command needs the dependencies, which are a cache: ignored by git, never recorded, and made again when they are lost. */
const INSTALL = '{ [ -d node_modules ] || cp -r vendor node_modules; } && test -f node_modules/dependency/index.js';
const commands = [
  `${INSTALL} && echo one > one.md && git add --all && git commit --quiet -m "add one"`,
  `${INSTALL} && test -f one.md && git rm --quiet README.md && ln -s one.md two.md && chmod +x one.md && git add --all && git commit --quiet -m "add two"`,
  `${INSTALL} && test "$(git rev-list --count HEAD)" = 3 && test -L two.md && mkdir deep && echo rest > deep/rest.md`,
];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-kills-'));
  origin = join(folder, 'origin');
  await mkdir(join(origin, 'vendor/dependency'), { recursive: true });
  await writeFile(join(origin, 'vendor/dependency/index.js'), 'module.exports = 1;\n');
  await writeFile(join(origin, 'README.md'), 'text\n');
  await writeFile(join(origin, '.gitignore'), 'node_modules/\n');
  git(origin, 'init', '--quiet', '--initial-branch=main');
  git(origin, 'add', '--all');
  git(origin, 'commit', '--quiet', '-m', 'first');
});
afterEach(async () => {
  await system?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Kills the tool-runner and waits until another one is ready. */
async function killToolRunner({ stack }: AgentStack): Promise<void> {
  const find = () => stack.services().find(({ name }) => name === 'tool-runner')!;
  await expect.poll(() => find().isReady, { timeout: 60_000 }).toBe(true);
  const { pid } = find();
  process.kill(pid!, 'SIGKILL');
  await expect.poll(() => find().isReady && find().pid !== pid, { timeout: 60_000 }).toBe(true);
}

it.each(['auto', 'unshare'])(
  'loses nothing when the tool-runner is killed at any time between two commands (sandbox: %s)',
  { timeout: 400_000 },
  async (sandbox) => {
    const work = commands.map((command) => [['run_command', { command, cwd: 'repository' }] as [string, object]]);
    model = await WireServer.start(createWorkflowPolicy({ work: [work.flat().map((call) => [call])] }));
    const workFolder = join(folder, 'work');
    system = await startAgentStack({ coder: buildCoder({ approvals: 'run_command' }) }, model.baseUrl, {
      env: { PHASELINE_REPOSITORY_ROOTS: folder, PHASELINE_SANDBOX: sandbox, PHASELINE_WORK_DIR: workFolder },
    });
    const { client } = system;
    const { jobId } = await client.submit({ agent: 'coder', instructions: 'Work.', repository: { path: origin } });
    await killToolRunner(system);
    for (const [index, command] of commands.entries()) {
      const findApproval = async () => {
        for await (const item of client.inbox({ jobId })) return item;
        return undefined;
      };
      await expect
        .poll(async () => (await findApproval())?.approval?.arguments['command'], { timeout: 120_000 })
        .toBe(command);
      await killToolRunner(system);
      if (index % 2 === 1) await rm(workFolder, { recursive: true, force: true });
      const { callId, approval } = (await findApproval())!;
      await client.control(jobId, 'approve', { callId: callId!, argumentsHash: approval!.argumentsHash });
    }
    expect((await client.wait(jobId, { timeoutMs: 200_000 })).status).toBe('completed');
    const { output } = await client.repository.requestPatch(jobId);
    await killToolRunner(system);
    const readStatus = async () => (await client.repository.get(jobId)).outputs.find((one) => one.output === output);
    await expect.poll(async () => (await readStatus())?.status, { timeout: 120_000 }).toBe('made');

    const { items } = await client.eventPage(jobId, { limit: 500 });
    const count = (type: string): number => items.filter((event) => event.type === type).length;
    expect(items.filter(({ type }) => type === 'ToolCallFailed').map(({ data }) => data)).toEqual([]);
    expect([count('RepositoryImported'), count('RepositoryChanged'), count('RepositoryOutputMade')]).toEqual([1, 2, 1]);
    const results = items
      .filter(({ type }) => type === 'ToolCallCompleted')
      .flatMap(({ data }) => (data as { result?: { exitCode?: number; stderr: string } }).result ?? []);
    expect(results.filter(({ exitCode }) => exitCode !== undefined)).toMatchObject(
      commands.map(() => ({ exitCode: 0, stderr: '' })),
    );
    const written = items.filter(({ type }) => type === 'FileWritten').map(({ data }) => JSON.stringify(data));
    expect(written.some((text) => text.includes('deep/rest.md'))).toBe(true);
    expect(written.filter((text) => text.includes('node_modules'))).toEqual([]);

    const clone = join(folder, 'clone');
    git(folder, 'clone', '--quiet', origin, clone);
    await writeFile(join(folder, 'the.patch'), await client.repository.readPatch(jobId));
    git(clone, 'am', '--quiet', '../the.patch');
    expect(git(clone, 'log', '--format=%s|%an', 'origin/main..')).toBe(
      `Uncommitted work of job ${jobId}|Coder\nadd two|Coder\nadd one|Coder\n`,
    );
    expect(git(clone, 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD')).toBe(
      [
        '100644 .gitignore',
        '100644 deep/rest.md',
        '100755 one.md',
        '120000 two.md',
        '100644 vendor/dependency/index.js',
        '',
      ].join('\n'),
    );
  },
);
