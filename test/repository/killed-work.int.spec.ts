import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId } from '@phaseline/contracts';
import { listRepositoryMessages } from '@phaseline/domain';
import { faultPointNames, type FaultPointName } from '@phaseline/fault-points';
import { call, parsePrompt } from '@phaseline/harness';
import { requestOutput } from '@phaseline/orchestration';
import { getTypescriptArguments } from '@phaseline/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startGitServer, type GitServer } from './git-server.fixture.js';
import { git, RepositoryBench, TOKEN } from './repository-bench.fixture.js';

/**
 * The process that imports a repository or makes an output is killed at each of its fault points, and another one does the work again.
 * Afterwards there is exactly one import, patch, branch and pull request.
 */
const ORIGIN = { actor: { id: 'spec', kind: 'process' } } as const;
const IMPORT_POINTS = ['repository.during-import', 'repository.before-append', 'repository.after-append'] as const;
const OUTPUT_POINTS = ['repository.during-output', 'repository.before-append', 'repository.after-append'] as const;

let bench: RepositoryBench;
let server: GitServer;
let counter = 0;
let origin: string;
let url: string;
beforeAll(async () => {
  bench = await RepositoryBench.open();
  server = await startGitServer(bench.root, TOKEN);
});
afterAll(async () => {
  await server?.close();
  await bench?.close();
});
beforeEach(async () => {
  const name = `owner-${(counter += 1)}/name.git`;
  origin = await bench.createOrigin(name, { 'README.md': 'text\n', 'src/one.md': 'one\n' });
  url = `${server.url}/${name}`;
  bench.isDelivering = true;
});

const shell = (command: string) => call('run_command', { command, cwd: 'repository' });
const submission = () => ({ repository: { url, ref: 'HEAD', secret: 'TOKEN' } });

/** Does a work in a process of its own, which is killed at a fault point if one is given. Returns the signal that ended it. */
async function work(jobId: JobId, name: string, point?: FaultPointName): Promise<unknown> {
  const config = bench.parseConfig({
    PHASELINE_PULL_REQUEST_API: server.api,
    PHASELINE_REPOSITORIES_DIR: join(bench.root, 'repositories'),
  });
  const child = spawn(
    process.execPath,
    getTypescriptArguments(
      new URL('./killed-work.fixture.ts', import.meta.url),
      ...[jobId, name, JSON.stringify(config)],
    ),
    {
      env: {
        PATH: process.env['PATH'],
        HOME: bench.root,
        TOKEN,
        ...(point === undefined ? {} : { PHASELINE_FAULT_POINTS: `${point}:kill` }),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal ?? exitCode;
}

/** Plays a job that committed a change and ended. */
async function playChange(): Promise<JobId> {
  const engine = bench.createEngine([
    shell('echo two > two.md && git add --all && git commit --quiet -m "add two" && echo rest > rest.md'),
  ]);
  const jobId = await engine.submit(submission());
  await bench.play(engine, jobId);
  expect((await engine.loadJob(jobId)).status).toBe('completed');
  return jobId;
}

/** Requests an output whose message is lost. */
async function request(jobId: JobId, kind: 'patch' | 'branch' | 'pull_request', draft = false): Promise<string> {
  const { store, repository } = bench;
  const outcome = await requestOutput(
    { store, repository, sender: { send: async () => {} } },
    jobId,
    { kind, draft },
    ORIGIN,
  );
  expect(outcome.kind).toBe('requested');
  return (outcome as { output: string }).output;
}

const branches = (): readonly string[] =>
  git(origin, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/phaseline').split('\n').filter(Boolean);
const pullRequests = () => server.pullRequests.filter(({ head }) => branches().includes(head));
const due = async (jobId: JobId): Promise<number> =>
  listRepositoryMessages((await bench.repository.loadJob(jobId))!).length;

it('the fault points of repositories are those that are tried here', () => {
  const tried = new Set<string>([...IMPORT_POINTS, ...OUTPUT_POINTS, 'repository.after-push']);
  expect([...tried].toSorted()).toEqual(faultPointNames.filter((name) => name.startsWith('repository.')).toSorted());
});

it.each(IMPORT_POINTS)('an import that is killed at %s is in the log once, with every file', async (point) => {
  bench.isDelivering = false;
  const engine = bench.createEngine([shell('true')]);
  const jobId = await engine.submit(submission());
  await bench.play(engine, jobId);
  expect(await work(jobId, 'import', point)).toBe('SIGKILL');
  const isRecorded = point === 'repository.after-append';
  expect(await due(jobId)).toBe(isRecorded ? 0 : 1);
  expect(await work(jobId, 'import')).toBe(0);
  const [imported, ...more] = await bench.eventsOf(jobId, 'RepositoryImported');
  expect(more).toEqual([]);
  expect(imported).toMatchObject({ commit: git(origin, 'rev-parse', 'HEAD').trim(), fileCount: 2 });
  for (const { hash } of Object.values(imported!['tree'] as Record<string, { hash: string }>))
    expect(await bench.store.blobs.get(hash)).toBeDefined();
  // The job continues with it.
  await bench.play(engine, jobId);
  expect((await engine.loadJob(jobId)).status).toBe('completed');
});

it.each([
  ...OUTPUT_POINTS.map((point) => ['patch', point] as const),
  ...[...OUTPUT_POINTS, 'repository.after-push' as const].flatMap((point) =>
    (['branch', 'pull_request'] as const).map((kind) => [kind, point] as const),
  ),
])('a %s whose process is killed at %s is made once', async (kind, point) => {
  const jobId = await playChange();
  const output = await request(jobId, kind);
  expect(await work(jobId, output, point)).toBe('SIGKILL');
  expect(await due(jobId)).toBe(point === 'repository.after-append' ? 0 : 1);
  expect(await work(jobId, output)).toBe(0);
  const [made, ...more] = await bench.eventsOf(jobId, 'RepositoryOutputMade');
  expect(more).toEqual([]);
  expect(made).toMatchObject({ output, commits: 2, includesUncommitted: true });
  expect(await bench.eventsOf(jobId, 'RepositoryOutputFailed')).toEqual([]);
  expect(branches()).toEqual(kind === 'patch' ? [] : [made!['branch']]);
  expect(pullRequests()).toHaveLength(kind === 'pull_request' ? 1 : 0);
  const clone = join(bench.root, `clone-${counter}`);
  git(bench.root, 'clone', '--quiet', origin, clone);
  if (kind === 'patch') {
    const { hash } = made!['patch'] as { hash: string };
    await writeFile(`${clone}.patch`, (await bench.store.blobs.get(hash))!);
    git(clone, 'am', '--quiet', `${clone}.patch`);
  } else git(clone, 'switch', '--quiet', branches()[0]!);
  expect(git(clone, 'log', '--format=%s', 'origin/main..')).toBe(`Uncommitted work of job ${jobId}\nadd two\n`);
});

it('a branch of a job that went on after the kill is still one, with the files of its request', async () => {
  const submitted = Promise.withResolvers<JobId>();
  let output: string | undefined;
  const engine = bench.createEngine(async (prompt) => {
    const { turn } = parsePrompt(prompt);
    if (turn === 0) return shell('echo two > two.md && git add --all && git commit --quiet -m "add two"');
    if (turn > 1) return call('todo_complete');
    const jobId = await submitted.promise;
    bench.isDelivering = false;
    output = await request(jobId, 'branch', true);
    expect(await work(jobId, output, 'repository.after-push')).toBe('SIGKILL');
    return shell('echo three > three.md && git add --all && git commit --quiet -m "add three"');
  });
  const jobId = await engine.submit(submission());
  submitted.resolve(jobId);
  await bench.play(engine, jobId);
  expect((await engine.loadJob(jobId)).status).toBe('completed');
  expect(await work(jobId, output!)).toBe(0);
  expect(await bench.eventsOf(jobId, 'RepositoryOutputFailed')).toEqual([]);
  expect(await bench.eventsOf(jobId, 'RepositoryOutputMade')).toMatchObject([{ output, commits: 1 }]);
  expect(branches()).toHaveLength(1);
  expect(git(origin, 'log', '--format=%s', `main..${branches()[0]}`)).toBe('add two\n');
});
