import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_FILES, searchFolder, searchTables, secrets, secretsIn } from './secret-search.fixture.js';
import { root, startSecretsSystem, type SecretsSystem } from './secrets-system.fixture.js';

/**
 * Secrets, keys and the environments of services in real processes: a job passes them to commands, MCP servers and failing calls, and
 * then no table, queue, blob, log, prompt or answer contains one of them in any usual encoding.
 */
/** Runs a program of this project until it ends. `onReady` is called when it is ready. Returns all that it wrote. */
async function runProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onReady: (pid: number) => void = () => undefined,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...args], {
    cwd: tmpdir(),
    env: { PATH, HOME, PHASELINE_ENV_FILE: 'none', ...env },
  });
  let text = '';
  let isReady = false;
  const collect = (chunk: Buffer): void => {
    text += chunk.toString();
    if (isReady || !text.includes('"ready"')) return;
    isReady = true;
    onReady(child.pid!);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const limit = setTimeout(() => child.kill('SIGKILL'), 90_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  return { code, text };
}

describe('the values of secrets, keys and the environments of services', { timeout: 240_000 }, () => {
  let system: SecretsSystem;
  beforeAll(async () => {
    system = await startSecretsSystem();
  }, 120_000);
  afterAll(() => system?.close(), 60_000);

  it('are in no table, queue, log, file, prompt or answer, whatever the job does with them', async () => {
    const { folder, home, stack, pool, frontUrl, prompts } = system;
    const client = new PhaselineClient({ baseUrl: stack.apiUrl, apiKey: secrets['apiKey'] });
    const answers: string[] = [];
    const say = (value: unknown): void => void answers.push(JSON.stringify(value));
    say(
      await client.secrets.store('TOKEN', {
        value: secrets['token']!,
        agent: 'user',
        repositoryHosts: [new URL(frontUrl).host],
      }),
    );
    const link = await client.createLoginLink();
    secrets['loginLink'] = new URL(link.url).hash.slice(1);
    const signedIn = await fetch(new URL('/login', stack.apiUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: secrets['loginLink'] }),
    });
    secrets['session'] = signedIn.headers.get('set-cookie')!.split(';')[0]!.split('=')[1]!;
    const { jobId } = await client.submit({ agent: 'user', instructions: 'Use the secret.' });
    const job = await client.wait(jobId, { timeoutMs: 180_000 });
    expect(job).toMatchObject({ status: 'completed' });

    const wrong = await fetch(new URL('/v1/jobs', stack.apiUrl), {
      headers: { authorization: `Bearer x${secrets['apiKey']}` },
    });
    expect(wrong.status).toBe(401);
    say(await wrong.text());
    const page = await client.eventPage(jobId, { limit: 500 });
    say([
      job,
      page,
      await client.listPage(),
      await client.secrets.list(),
      await client.state(jobId),
      await client.files(jobId),
    ]);
    for (const { path } of await client.files(jobId)) say([path, await client.readText(jobId, path)]);
    for (const path of ['/metrics', '/openapi.json', '/ready'])
      say(
        await (
          await fetch(new URL(path, stack.apiUrl), { headers: { authorization: `Bearer ${secrets['apiKey']}` } })
        ).text(),
      );

    // A provider that repeats the secret of the client: the code is refused, and the page and the log do not show why in its words.
    const begun = await fetch(new URL('/login/openid', stack.apiUrl), { redirect: 'manual' });
    expect(begun.status).toBe(303);
    secrets['attempt'] = begun.headers.get('set-cookie')!.split(';')[0]!.split('=')[1]!;
    const state = new URL(begun.headers.get('location')!).searchParams.get('state');
    const refused = await fetch(new URL(`/login/openid/callback?code=x&state=${state}`, stack.apiUrl), {
      headers: { cookie: `phaseline-sign-in=${secrets['attempt']}` },
    });
    expect(refused.status).toBe(400);
    say(await refused.text());

    // Credentials of repositories: in a URL, which is refused, and repeated by a server.
    const inUrl = { agent: 'user', repository: { url: `https://ada:${secrets['urlPassword']}@127.0.0.1/x.git` } };
    say(
      await client.submit(inUrl).then(
        () => expect.unreachable(),
        (error: Error) => [error.message, error],
      ),
    );
    const repeating = { url: `${frontUrl}/git/x.git`, secret: 'TOKEN' };
    const unclonable = await client.submit({ agent: 'user', repository: repeating });
    const readFailure = async () =>
      (await client.eventPage(unclonable.jobId, { limit: 500 })).items.find(
        ({ type }) => type === 'RepositoryImportFailed',
      );
    await expect.poll(readFailure, { timeout: 60_000 }).toBeDefined();
    say([await readFailure(), await client.repository.get(unclonable.jobId)]);

    // Commits that contain the value: the patch is masked, and a branch is refused.
    system.commitNext();
    const committing = await client.submit({
      ...{ agent: 'user', instructions: 'Commit it.', repository: { path: join(folder, 'origin') } },
    });
    expect(await client.wait(committing.jobId, { timeoutMs: 120_000 })).toMatchObject({ status: 'completed' });
    const waitForOutput = async (output: string) => {
      const read = async () =>
        (await client.repository.get(committing.jobId)).outputs.find((one) => one.output === output);
      await expect.poll(async () => (await read())?.status, { timeout: 60_000 }).not.toBe('open');
      return read();
    };
    const made = await waitForOutput((await client.repository.requestPatch(committing.jobId)).output);
    // The file in the workspace is masked, so that it differs from the committed one: that is a second commit.
    expect(made).toMatchObject({ status: 'made', commits: 2, includesUncommitted: true });
    const patch = Buffer.from(await client.repository.readPatch(committing.jobId)).toString();
    expect(patch).toMatch(/^Subject: \[PATCH 1\/2\] add \[TOKEN\]$/m);
    expect(patch).toMatch(/^\+before \[TOKEN\] after$/m);
    say(patch);
    const branch = await client.repository.publish(committing.jobId, { kind: 'branch', branch: 'leak' });
    const published = await waitForOutput(branch.output);
    expect(published).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(published)).toContain('value of a secret');
    say(published);

    // The secret was in use: it was masked in outputs, and the failing model call was retried.
    const text = JSON.stringify(page);
    expect(text.match(/\[TOKEN\]/g)?.length).toBeGreaterThan(8);
    expect(text).toContain('mcp_tool_failed');
    expect(await client.readText(jobId, 'work.txt')).toBe('[TOKEN]');
    expect(prompts.length).toBeGreaterThan(2);

    for (const [name, values] of [
      ['answers', answers],
      ['prompts', prompts],
    ] as const)
      expect({ name, found: values.flatMap(secretsIn) }).toEqual({ name, found: [] });
    expect(await searchTables(pool)).toEqual({});
    await expect.poll(async () => (await readdir(home.workspaceDirectory)).length).toBeGreaterThan(0);
    expect(await searchFolder(home.directory)).toEqual({});
    for (const name of KEY_FILES) expect((await stat(join(home.directory, name))).mode & 0o777, name).toBe(0o600);
  });

  it('are in no output of a service that crashes or cannot start, nor of a command that fails', async () => {
    const { folder, stack, frontUrl } = system;
    const service = (name: string): string => join(root, 'dist/services', `${name}.js`);
    const settings = {
      ...{ DATABASE_URL: stack.databaseUrl, PORT: '0', LOG_LEVEL: 'trace', OPENAI_API_KEY: secrets['modelKey'] },
      ...{ PHASELINE_MODELS_DIR: join(folder, 'models'), PHASELINE_SHIPPED_DEFINITIONS: '0' },
      OPENAI_BASE_URL: `${frontUrl}/v1`,
      EXTRA_SERVICE_PASSWORD: secrets['databasePassword'],
    };
    const crash = (statement: string) =>
      runProgram(
        [
          '--import',
          `data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { const error = new Error('crash with ' + process.env.OPENAI_API_KEY + ' postgresql://app:' + process.env.EXTRA_SERVICE_PASSWORD + '@db/x'); error.detail = { key: process.env.OPENAI_API_KEY }; ${statement} });`)}`,
          service('tactical-worker'),
        ],
        settings,
        (pid) => process.kill(pid, 'SIGUSR2'),
      );
    const unreachable = `postgresql://app:${secrets['databasePassword']}@127.0.0.1:1/x`;
    const cli = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
      runProgram([join(root, 'apps/cli/dist/main.js'), ...args], { PHASELINE_DEBUG: '1', ...env });
    const [thrown, rejected, unstarted, wrongKey, noServer, noDatabase] = await Promise.all([
      crash('throw error;'),
      crash('void Promise.reject(error);'),
      runProgram([service('orchestrator')], {
        ...{ ...settings, DATABASE_URL: unreachable, PHASELINE_DATABASE_WAIT_MS: '200' },
        ...{ PHASELINE_API_KEYS: `ada=${secrets['apiKey']}`, PHASELINE_OIDC_CLIENT_SECRET: secrets['clientSecret'] },
      }),
      cli({ PHASELINE_URL: stack.apiUrl, PHASELINE_API_KEY: `x${secrets['apiKey']}` }, 'list'),
      cli({ PHASELINE_URL: 'http://127.0.0.1:1', PHASELINE_API_KEY: secrets['apiKey'] }, 'list', '--json'),
      cli({ DATABASE_URL: unreachable }, 'migrate'),
    ]);
    for (const { code, text } of [thrown, rejected]) {
      expect({ code, text }).toEqual({ code: 70, text: expect.stringContaining('unhandled error') });
      expect(text).toContain('crash with ***');
    }
    const outputs = { thrown, rejected, unstarted, wrongKey, noServer, noDatabase };
    for (const [name, { code, text }] of Object.entries(outputs)) {
      expect(code, `${name}: ${text}`).not.toBe(0);
      expect({ name, found: secretsIn(text) }).toEqual({ name, found: [] });
    }
  });
});
