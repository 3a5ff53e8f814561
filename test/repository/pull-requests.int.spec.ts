import type { JobId } from '@phaseline/contracts';
import { call, calls, parsePrompt } from '@phaseline/harness';
import { requestOutput, type JobRequest } from '@phaseline/orchestration';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PullRequestCalls } from '../../apps/tool-runner/src/repositories/pull-request-calls.js';
import { startGitServer, type GitServer } from './git-server.fixture.js';
import { git, RepositoryBench, TOKEN } from './repository-bench.fixture.js';

const ORIGIN = { actor: { id: 'spec', kind: 'process' } } as const;
let bench: RepositoryBench;
let server: GitServer;
let counter = 0;
let request: Partial<JobRequest>;
let origin: string;
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
  origin = await bench.createOrigin(name, { 'README.md': 'text\n' });
  request = { repository: { url: `${server.url}/${name}`, ref: 'HEAD', secret: 'TOKEN' } };
  bench.isDelivering = true;
  bench.tokenHosts = undefined;
});

/** Plans two todos: the change, and the pull request after it was accepted. */
const TWO_TODOS = calls(
  [
    'todo_write',
    {
      phase: 'Two',
      description: 'Change it.',
      todos: [{ content: 'Change it' }, { content: 'Open the pull request' }],
    },
  ],
  ['todo_complete'],
);
const createEngine = (replies: Parameters<RepositoryBench['createEngine']>[0], plan?: typeof TWO_TODOS) =>
  bench.createEngine(replies, { PHASELINE_PULL_REQUEST_API: server.api }, plan);
const shell = (command: string) => call('run_command', { command, cwd: 'repository' });
const pullRequest = (title = 'Correct it') => call('open_pull_request', { title, body: 'Because.' });
const opened = () => server.pullRequests.filter(({ head }) => git(origin, 'branch', '--list', head) !== '');

/** Prepares a paused moment: a job with a repository and uncommitted work, after its last phase. */
async function playChange(): Promise<JobId> {
  const engine = createEngine([shell('echo one > one.md')]);
  const jobId = await engine.submit(request);
  await bench.play(engine, jobId);
  return jobId;
}

describe('open_pull_request', () => {
  it('opens one pull request with all changes, and a second call returns the same', async () => {
    const engine = createEngine(
      [
        shell('echo one > one.md && git add --all && git commit --quiet -m "add one"'),
        shell('echo two > two.md'),
        call('todo_complete'),
        pullRequest(),
        shell('echo three > three.md'),
        pullRequest('Again'),
      ],
      TWO_TODOS,
    );
    const jobId = await engine.submit(request);
    await bench.play(engine, jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(opened()).toHaveLength(1);
    const { html_url: url, head: branch, ...rest } = opened()[0]!;
    expect(rest).toEqual({ title: 'Correct it', body: 'Because.', base: 'main' });
    const results = (await bench.eventsOf(jobId, 'ToolCallCompleted')).filter(({ result }) => result !== undefined);
    expect(results.map(({ result }) => result).filter((result) => Object.hasOwn(result as object, 'url'))).toEqual([
      { url, branch, commits: 2 },
      { url, branch, commits: 2 },
    ]);
    expect(results.at(-1)?.['content']).toBe(
      `This job already opened ${url} from the branch ${branch}. Changes made since are not part of it.`,
    );
    expect(git(origin, 'log', '--format=%s', `main..${branch}`)).toBe(`Uncommitted work of job ${jobId}\nadd one\n`);
    expect(git(origin, 'ls-tree', '--name-only', branch).split('\n')).not.toContain('three.md');
    const [recorded, ...more] = await bench.eventsOf(jobId, 'RepositoryOutputRequested');
    expect(more).toEqual([]);
    expect(recorded).toMatchObject({ kind: 'pull_request', actor: 'runner', callId: expect.any(String) });
  });

  it('is refused while a command of the same answer still runs', async () => {
    const engine = createEngine([
      calls(['open_pull_request', { title: 'x', body: 'x' }], ['run_command', { command: 'true' }]),
    ]);
    const jobId = await engine.submit(request);
    await bench.play(engine, jobId);
    expect(await bench.eventsOf(jobId, 'ToolCallFailed')).toMatchObject([{ code: 'calls_open' }]);
    expect(opened()).toEqual([]);
  });

  it('fails with the reason of the tool-runner, and may then be called again', async () => {
    const engine = createEngine(
      [pullRequest(), shell('echo one > one.md'), pullRequest(), call('todo_complete'), pullRequest()],
      TWO_TODOS,
    );
    const jobId = await engine.submit(request);
    await bench.play(engine, jobId);
    expect(await bench.eventsOf(jobId, 'ToolCallFailed')).toMatchObject([
      { code: 'nothing_changed', message: expect.stringContaining('the job changed nothing in its repository') },
      { code: 'output_unverified', message: expect.stringContaining('repository/one.md has changed since') },
    ]);
    expect(opened()).toHaveLength(1);
  });

  it('that was killed while it waited is completed, and the next call returns its outcome', async () => {
    const submitted = Promise.withResolvers<JobId>();
    const { store, repository } = bench;
    const callTwice = async (jobId: JobId): Promise<void> => {
      const stop = new AbortController();
      const killed = new PullRequestCalls({
        ...{ processId: 'killed', store, repository },
        sender: { send: async () => stop.abort() },
      });
      const first = { jobId, phase: 2, callId: 'call_2_9_1', title: 'First', body: 'x' };
      await expect(killed.openPullRequest(first, stop.signal)).rejects.toThrow('abort');
      const work = bench.createWork({ PHASELINE_PULL_REQUEST_API: server.api });
      const next = new PullRequestCalls({
        ...{ processId: 'next', store, repository },
        sender: {
          send: async (_queue, payload) =>
            work.run(jobId, (payload as { work: string }).work, AbortSignal.timeout(60_000)),
        },
      });
      const second = { ...first, callId: 'call_2_9_2', title: 'Second' };
      expect(await next.openPullRequest(second, AbortSignal.timeout(60_000))).toMatchObject({ created: false });
    };
    const engine = createEngine(async (prompt) => {
      const { turn } = parsePrompt(prompt);
      if (turn === 0) return shell('echo one > one.md');
      if (turn !== 2) return call('todo_complete');
      await callTwice(await submitted.promise);
      return shell('true');
    }, TWO_TODOS);
    const jobId = await engine.submit(request);
    submitted.resolve(jobId);
    await bench.play(engine, jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(opened().map(({ title }) => title)).toEqual(['First']);
    expect(await bench.eventsOf(jobId, 'RepositoryOutputRequested')).toHaveLength(1);
  });

  it('is refused to a call that outlives its job', async () => {
    const jobId = await playChange();
    const { store, repository } = bench;
    const late = new PullRequestCalls({
      processId: 'late',
      store,
      repository,
      sender: { send: async () => undefined },
    });
    const request = { jobId, phase: 3, callId: 'call_3_1_1', title: 'Late', body: 'x' };
    await expect(late.openPullRequest(request, AbortSignal.timeout(60_000))).rejects.toMatchObject({
      code: 'job_ended',
    });
    expect(await bench.eventsOf(jobId, 'RepositoryOutputRequested')).toEqual([]);
  });
});

describe('a tool-runner that is killed', () => {
  it('after the push and the request, and before it recorded them, makes no second branch or pull request', async () => {
    const jobId = await playChange();
    bench.isDelivering = false;
    const { store, repository } = bench;
    const sender = { send: async () => undefined };
    const outcome = await requestOutput({ store, repository, sender }, jobId, { kind: 'pull_request' }, ORIGIN);
    const { output } = outcome as { output: string };
    // The death of the process, seen from outside: all effects, and no event.
    const dying = new Proxy(store, {
      get: (target, name) =>
        name === 'append' ? () => Promise.reject(new Error('killed')) : (Reflect.get(target, name) as unknown),
    });
    const env = { PHASELINE_PULL_REQUEST_API: server.api };
    const signal = new AbortController().signal;
    await expect(bench.createWork(env, dying).run(jobId, output, signal)).rejects.toThrow('killed');
    expect(opened()).toHaveLength(1);
    await bench.createWork(env).run(jobId, output, signal);
    const job = (await repository.loadJob(jobId))!;
    expect(job.repository?.outputs[output]).toMatchObject({ made: { includesUncommitted: true }, request: { output } });
    expect(job.repository?.outputs[output]?.failure).toBeUndefined();
    expect(opened()).toHaveLength(1);
    expect(git(origin, 'branch', '--list', 'phaseline/*').trim().split('\n')).toHaveLength(1);
  });
});

describe('a secret that was stored for other hosts after the submission', () => {
  const otherHost = 'git.example.org';
  const refusal = {
    code: 'secret_host_refused',
    message: expect.stringMatching(
      /the secret TOKEN was not stored for 127\.0\.0\.1:\d+,.*--repository-host 127\.0\.0\.1:\d+$/,
    ),
  };

  it('is not sent by the import, which succeeds after it was allowed', async () => {
    const engine = createEngine([shell('echo one > one.md')]);
    const requests = server.requestCount();
    for (const hosts of [[], [otherHost], ['127.0.0.1']]) {
      bench.tokenHosts = hosts;
      const jobId = await engine.submit(request);
      await bench.play(engine, jobId);
      expect((await engine.loadJob(jobId)).repository?.failure).toMatchObject(refusal);
    }
    expect(server.requestCount()).toBe(requests);
    bench.tokenHosts = [otherHost, new URL(server.url).host];
    const jobId = await engine.submit(request);
    await bench.play(engine, jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
  });

  it.each(['branch', 'pull_request'] as const)('is not sent by the output %s', async (kind) => {
    const jobId = await playChange();
    const requests = server.requestCount();
    bench.tokenHosts = [otherHost];
    const { store, repository } = bench;
    const sender = { send: async () => undefined };
    const { output } = (await requestOutput({ store, repository, sender }, jobId, { kind }, ORIGIN)) as {
      output: string;
    };
    const work = bench.createWork({ PHASELINE_PULL_REQUEST_API: server.api });
    await work.run(jobId, output, new AbortController().signal);
    const job = (await repository.loadJob(jobId))!;
    expect(job.repository?.outputs[output]?.failure).toMatchObject(refusal);
    expect(server.requestCount()).toBe(requests);
  });

  it('is not sent to the API when that happens after the push', async () => {
    const jobId = await playChange();
    const { store, repository } = bench;
    const sender = { send: async () => undefined };
    const outcome = await requestOutput({ store, repository, sender }, jobId, { kind: 'pull_request' }, ORIGIN);
    const { output } = outcome as { output: string };
    server.onPush = () => (bench.tokenHosts = [otherHost]);
    await bench.createWork({ PHASELINE_PULL_REQUEST_API: server.api }).run(jobId, output, new AbortController().signal);
    server.onPush = undefined;
    const job = (await repository.loadJob(jobId))!;
    expect(job.repository?.outputs[output]?.failure).toMatchObject(refusal);
    expect(git(origin, 'branch', '--list', 'phaseline/*')).not.toBe('');
    expect(opened()).toEqual([]);
  });
});

it('the token is in no event, whatever the server answers', async () => {
  const engine = createEngine([shell('echo one > one.md'), pullRequest()]);
  const jobId = await engine.submit(request);
  await bench.play(engine, jobId);
  const wrong = await engine.submit({ repository: { ...request.repository!, secret: 'OTHER' } });
  await bench.play(engine, wrong);
  const gone = await engine.submit({ repository: { url: `${server.url}/missing.git`, ref: 'HEAD', secret: 'TOKEN' } });
  await bench.play(engine, gone);
  expect((await engine.loadJob(wrong)).repository?.failure).toMatchObject({ code: 'secret_missing' });
  expect((await engine.loadJob(gone)).repository?.failure).toMatchObject({ code: 'fetch_failed' });
  const echo = await engine.submit({ repository: { url: `${server.url}/echo.git`, ref: 'HEAD', secret: 'TOKEN' } });
  await bench.play(engine, echo);
  expect((await engine.loadJob(echo)).repository?.failure).toMatchObject({
    message: expect.stringContaining('not allowed with [TOKEN]'),
  });
  const { rows } = await bench.pool.query<{ text: string }>(
    'SELECT data::text || metadata::text AS text FROM phaseline.events',
  );
  const all = rows.map(({ text }) => text).join('\n');
  expect(rows.length).toBeGreaterThan(20);
  expect(all).not.toContain(TOKEN);
  expect(all).not.toContain(Buffer.from(`x-access-token:${TOKEN}`).toString('base64'));
});
