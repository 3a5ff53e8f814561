import { createTestPool } from '@phaseline/testing';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { PhaselineClient } from '@phaseline/client';
import { openLocalHome, type LocalHome } from '@phaseline/local-stack';
import { startRehearsalServer, type RehearsalPolicy, type RehearsalServer } from '@phaseline/rehearsal';
import { shortWorkflow } from './short-workflow.fixture.js';

/**
 * Secrets, keys and the environments of services in real processes: a job passes them to commands, MCP servers and failing calls, and
 * then no table, queue, blob, log, prompt or answer contains one of them in any usual encoding.
 */
const canary = (name: string): string => `${name}-${randomBytes(12).toString('hex')}`;
const secrets: Record<string, string> = {
  token: canary('token/of+job'),
  modelKey: canary('model-key'),
  apiKey: canary('api-key'),
  clientSecret: canary('client-secret'),
  urlPassword: canary('url-password'),
  databasePassword: canary('database-password'),
};

/** Forms of a value that are searched for. */
function formsOf(value: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'x'.repeat(offset)}${value}`).toString('base64');
    return text.slice(offset === 0 ? 0 : 4, Math.floor(text.length / 4) * 4 - 4);
  });
  return [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString('hex'),
    JSON.stringify(value).slice(1, -1),
    ...base64,
  ];
}

function secretsIn(content: Buffer | string): readonly string[] {
  const bytes = Buffer.from(content as string);
  return Object.keys(secrets).filter((name) => formsOf(secrets[name]!).some((form) => bytes.includes(form)));
}

async function searchTables(pool: pg.Pool): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_catalog.pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const findings: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`SELECT t::text AS text FROM ${name} AS t`);
    const found = [...new Set(rows.flatMap(({ text }) => secretsIn(text)))];
    if (found.length > 0) findings[name] = found;
  }
  return findings;
}

/** Files that contain a key on purpose, for the owner of the local system alone. */
const KEY_FILES = ['master-key', 'state.json'];

/** Searches logs, mirrors and state of the services, except the files of keys. */
/** The working folders of commands are left out: a command may write the secrets that it declares into its own folder. */
async function searchFolder(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const findings: Record<string, readonly string[]> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || KEY_FILES.includes(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(folder, 'work/'))) continue;
    const found = secretsIn(await readFile(path).catch(() => ''));
    if (found.length > 0) findings[path.slice(folder.length + 1)] = found;
  }
  return findings;
}

const mcpServer = fileURLToPath(new URL('../../libs/mcp/src/servers/sdk-server.fixture.mjs', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const definitions: Readonly<Record<string, string>> = {
  'agents/user/agent.yaml': `
name: user
displayName: User
description: Uses secrets.
workflow: short
tools: { workspace: [read_file], domain: [run_command, mcp__spec__env, mcp__spec__fail, mcp__spec__crash, fetch_url] }
todos: { min: 1, max: 5 }
approvals: { tools: [] }
settings:
  commands:
    allow: [node]
    secrets: [TOKEN]
    env: { TOKEN: '\${secret:TOKEN}' }
    maxOutputBytes: 512
  mcp:
    servers:
      spec:
        command: ${process.execPath}
        args: [${JSON.stringify(mcpServer)}, stdio]
        secrets: [TOKEN]
        env: { TOKEN: '\${secret:TOKEN}' }
`,
  'agents/user/instructions.md': '# Use it\n',
  ...shortWorkflow,
};

const call = (name: string, args: object) => ({ name, arguments: args as never });
const node = (script: string) => call('run_command', { program: 'node', args: ['-e', script] });
const ENCODINGS = `const t = process.env.TOKEN; const b = Buffer.from(t);
console.log(t, encodeURIComponent(t), b.toString('hex'), b.toString('base64'), Buffer.from('u:' + t).toString('base64'), JSON.stringify({ t }));`;
/** Whether the next job commits the secret to its repository. */
let isCommitting = false;
const commit = `const { TOKEN } = process.env; const git = (...args) => require('child_process').execFileSync('/usr/bin/git', args);
require('fs').writeFileSync('key.txt', 'before ' + TOKEN + ' after\\n'); git('add', 'key.txt'); git('commit', '--quiet', '-m', 'add ' + TOKEN);`;
const policy: RehearsalPolicy = {
  name: 'user',
  matches: () => true,
  answer: ({ messages, toolNames }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    if (toolNames.includes('job_complete'))
      return { calls: [call('job_complete', { summary: 'Done', deliverables: [], confidence: 1 })] };
    if (toolNames.includes('todo_write'))
      return {
        calls: [
          call('todo_write', { phase: 'Work', todos: [{ content: 'Do it' }] }),
          call('todo_complete', { note: 'planned' }),
        ],
      };
    if (isCommitting)
      return {
        calls:
          turn === 0
            ? [call('run_command', { program: 'node', args: ['-e', commit], cwd: 'repository' })]
            : [call('todo_complete', { note: 'done' })],
      };
    const steps = [
      [node(ENCODINGS), node(`${ENCODINGS} process.exit(3)`)],
      [
        node(
          `require('fs').writeFileSync('work.txt', process.env.TOKEN); require('fs').writeFileSync('a' + process.env.TOKEN.slice(-8), Buffer.from(process.env.TOKEN).toString('base64'))`,
        ),
      ],
      [
        node(
          `process.stdout.write('.'.repeat(245) + process.env.TOKEN + '.'.repeat(4000) + process.env.TOKEN + '.'.repeat(245))`,
        ),
      ],
      [
        node(`throw new Error(process.env.TOKEN)`),
        node(`console.log(process.env.DATABASE_URL, process.env.OPENAI_API_KEY, process.env.PHASELINE_API_KEYS)`),
      ],
      [call('mcp__spec__env', {}), call('mcp__spec__fail', {})],
      [call('mcp__spec__crash', {})],
      [call('fetch_url', { url: 'http://127.0.0.1:1/' })],
    ];
    return { calls: steps[turn] ?? [call('todo_complete', { note: 'done' })] };
  },
};

/** A provider and a git server that repeat the credentials that they were sent. Returns whether it answered. */
function repeatCredentials(request: IncomingMessage, response: ServerResponse): boolean {
  const { url = '', headers } = request;
  const origin = `http://${headers.host}`;
  if (url.startsWith('/git/')) {
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`sent ${headers.authorization}\n`);
  } else if (url.includes('/.well-known/')) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
    response.end(JSON.stringify({ issuer: origin, ...endpoints, jwks_uri: `${origin}/keys` }));
  } else if (url === '/token') {
    response.writeHead(401, { 'content-type': 'application/json' });
    const sent = headers.authorization ?? '';
    const decoded = Buffer.from(sent.replace(/^Basic /, ''), 'base64').toString();
    response.end(JSON.stringify({ error: 'invalid_client', error_description: `unknown ${sent} ${decoded}` }));
  } else return false;
  return true;
}

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
  let folder: string;
  let home: LocalHome;
  let stack: RunningStack;
  let model: RehearsalServer;
  let front: Server;
  let pool: pg.Pool;
  let frontUrl: string;
  const prompts: string[] = [];
  let received = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phaseline-secrets-'));
    for (const [path, text] of Object.entries(definitions)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    model = await startRehearsalServer({ policies: [policy] });
    // Fails the first calls with an error that repeats the key, as some model servers do.
    front = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (repeatCredentials(request, response)) return;
        const body = Buffer.concat(chunks);
        prompts.push(body.toString());
        received += 1;
        if (received <= 2) {
          response.writeHead(500, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ error: { message: `bad key ${request.headers.authorization}` } }));
          return;
        }
        const { host: _host, ...headers } = request.headers;
        const { origin } = new URL(model.baseUrl);
        void fetch(`${origin}${request.url}`, {
          method: request.method!,
          headers: headers as Record<string, string>,
          ...(body.length > 0 ? { body } : {}),
        }).then(async (answer) => {
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
          response.end(Buffer.from(await answer.arrayBuffer()));
        });
      });
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
        cwd: join(folder, 'origin'),
        encoding: 'utf8',
      });
    await mkdir(join(folder, 'origin'));
    git('init', '--quiet', '--initial-branch=main');
    git('commit', '--quiet', '--allow-empty', '-m', 'first');
    frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const { PATH, HOME } = process.env;
    const env = {
      PATH,
      HOME,
      LOG_LEVEL: 'trace',
      PHASELINE_HOME: join(folder, 'home'),
      OPENAI_BASE_URL: `${frontUrl}${new URL(model.baseUrl).pathname}`,
      OPENAI_API_KEY: secrets['modelKey'],
      PHASELINE_API_KEYS: `ada=${secrets['apiKey']}`,
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      PHASELINE_SHIPPED_DEFINITIONS: '0',
      PHASELINE_WORKFLOWS_DIR: join(folder, 'workflows'),
      PHASELINE_MODELS_DIR: join(folder, 'models'),
      // The MCP server of the agent is in this repository.
      PHASELINE_SANDBOX_TOOLCHAIN: root,
      PHASELINE_PUBLIC_URL: 'http://127.0.0.1',
      PHASELINE_OIDC_ISSUER: frontUrl,
      PHASELINE_OIDC_CLIENT_ID: 'phaseline',
      PHASELINE_OIDC_CLIENT_SECRET: secrets['clientSecret'],
      PHASELINE_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
      PHASELINE_REPOSITORY_PROTOCOLS: 'https,http',
      PHASELINE_REPOSITORY_ROOTS: folder,
      PHASELINE_REPOSITORY_PUSH_ROOTS: folder,
    };
    home = await openLocalHome(env, folder);
    const plan = planStack(env, { queueBackend: 'postgres' });
    stack = await startStack({ home, plan, env, signal: new AbortController().signal });
    secrets['masterKey'] = (await readFile(join(home.directory, 'master-key'), 'utf8'))
      .split('\n')
      .find((line) => /^[\w+/]{43}=$/.test(line))!;
    pool = createTestPool({ connectionString: stack.databaseUrl, max: 2 });
  }, 120_000);

  afterAll(async () => {
    await pool?.end();
    await stack?.stop();
    front?.close();
    await model?.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('are in no table, queue, log, file, prompt or answer, whatever the job does with them', async () => {
    const client = new PhaselineClient({ baseUrl: stack.apiUrl, apiKey: secrets['apiKey'] });
    const answers: string[] = [];
    const say = (value: unknown): void => void answers.push(JSON.stringify(value));
    say(await client.secrets.store('TOKEN', { value: secrets['token']!, agent: 'user' }));
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
    isCommitting = true;
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
    expect(received).toBeGreaterThan(2);

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
    const main = (app: string): string => join(root, 'apps', app, 'dist/main.js');
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
          main('tactical-worker'),
        ],
        settings,
        (pid) => process.kill(pid, 'SIGUSR2'),
      );
    const unreachable = `postgresql://app:${secrets['databasePassword']}@127.0.0.1:1/x`;
    const cli = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
      runProgram([main('cli'), ...args], { PHASELINE_DEBUG: '1', ...env });
    const [thrown, rejected, unstarted, wrongKey, noServer, noDatabase] = await Promise.all([
      crash('throw error;'),
      crash('void Promise.reject(error);'),
      runProgram([main('orchestrator')], {
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
