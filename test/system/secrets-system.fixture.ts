import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLocalHome, type LocalHome } from '@phaseline/local-stack';
import { startRehearsalServer } from '@phaseline/rehearsal';
import { createTestPool } from '@phaseline/testing';
import type pg from 'pg';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { secrets } from './secret-search.fixture.js';
import { createPolicy, definitions } from './secrets-agent.fixture.js';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** All services, with secrets in their settings, and servers that repeat what they are sent. */
export interface SecretsSystem {
  /** Folder of definitions, of the home of the system, and of `origin`, a repository. */
  readonly folder: string;
  readonly home: LocalHome;
  readonly stack: RunningStack;
  readonly pool: pg.Pool;
  /** URL of the server that stands in for the model, a provider and a git server. */
  readonly frontUrl: string;
  /** Requests of the model calls so far, of which the first two failed. */
  readonly prompts: readonly string[];
  /** Lets the next job commit the secret to its repository. */
  commitNext(): void;
  close(): Promise<void>;
}

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

/** Starts the system, and adds its master key to the values that must be found nowhere. */
export async function startSecretsSystem(): Promise<SecretsSystem> {
  const prompts: string[] = [];
  let isCommitting = false;
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-secrets-'));
  for (const [path, text] of Object.entries(definitions)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const model = await startRehearsalServer({ policies: [createPolicy(() => isCommitting)] });
  // Fails the first calls with an error that repeats the key, as some model servers do.
  const front = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (repeatCredentials(request, response)) return;
      const body = Buffer.concat(chunks);
      prompts.push(body.toString());
      if (prompts.length <= 2) {
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
  const frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
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
  const home = await openLocalHome(env, folder);
  const plan = planStack(env, { queueBackend: 'postgres' });
  const stack = await startStack({ home, plan, env, signal: new AbortController().signal });
  secrets['masterKey'] = (await readFile(join(home.directory, 'master-key'), 'utf8'))
    .split('\n')
    .find((line) => /^[\w+/]{43}=$/.test(line))!;
  const pool = createTestPool({ connectionString: stack.databaseUrl, max: 2 });
  return {
    ...{ folder, home, stack, pool, frontUrl, prompts },
    commitNext: () => void (isCommitting = true),
    close: async () => {
      await pool.end();
      await stack.stop();
      front.close();
      await model.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
