import { createTestPool } from '@phaseline/testing';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { readRedis, sendToRedis, watchRedis } from '../../libs/queue/src/testing/read-redis.js';
import { PhaselineClient } from '@phaseline/client';
import { findRedisServer, openLocalHome, startRedis, type LocalHome } from '@phaseline/local-stack';
import { startRehearsalServer, type RehearsalPolicy, type RehearsalServer } from '@phaseline/rehearsal';
import { shortWorkflow } from './short-workflow.fixture.js';

/**
 * The same as secrets.e2e.spec.ts with queues in Redis: a job passes a secret to commands and failing calls, services crash, and then no
 * command that was sent to Redis, none of its keys and files, no table, log or answer contains a secret, a key or the password of Redis.
 */
const canary = (name: string): string => `${name}-${randomBytes(12).toString('hex')}`;
const secrets: Record<string, string> = {
  token: canary('token/of+job'),
  apiKey: canary('api-key'),
  modelKey: canary('model-key'),
  redisPassword: canary('redis-password'),
};

/** Names the secrets that a content contains: as they are, escaped, in hexadecimal, or in base64 at any offset. */
function secretsIn(content: Buffer | string): readonly string[] {
  const bytes = Buffer.from(content as string);
  return Object.keys(secrets).filter((name) => {
    const value = secrets[name]!;
    const base64 = [0, 1, 2].map((offset) => {
      const text = Buffer.from(`${'x'.repeat(offset)}${value}`).toString('base64');
      return text.slice(offset === 0 ? 0 : 4, Math.floor(text.length / 4) * 4 - 4);
    });
    const forms = [value, encodeURIComponent(value), Buffer.from(value).toString('hex'), ...base64];
    return forms.some((form) => bytes.includes(form));
  });
}

async function searchTables(pool: pg.Pool): Promise<readonly string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_catalog.pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const findings: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`SELECT t::text AS text FROM ${name} AS t`);
    findings.push(...rows.flatMap(({ text }) => secretsIn(text).map((found) => `${found} in ${name}`)));
  }
  return findings;
}

/** Files that contain a key or password on purpose, for their owner alone. */
const KEY_FILES = ['master-key', 'state.json', 'redis.conf'];

/** Searches all files but those of keys and the working folders, into which a command may write the secrets that it declares. */
async function searchFolder(folder: string): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || KEY_FILES.includes(entry.name) || path.startsWith(join(folder, 'work/'))) continue;
    const found = secretsIn(await readFile(path).catch(() => ''));
    findings.push(...found.map((name) => `${name} in ${path}`));
  }
  return findings;
}

async function searchRedis(url: string): Promise<readonly string[]> {
  return (await readRedis(url)).flatMap(({ database, key, values }) =>
    [key, ...values].flatMap((part) => secretsIn(part).map((name) => `${name} in ${database}:${key.toString()}`)),
  );
}

const definitions: Readonly<Record<string, string>> = {
  'agents/user/agent.yaml': `
name: user
displayName: User
description: Uses secrets.
workflow: short
tools: { domain: [run_command] }
todos: { min: 1, max: 5 }
approvals: { tools: [] }
settings:
  commands: { allow: [node], secrets: [TOKEN], env: { TOKEN: '\${secret:TOKEN}' } }
`,
  'agents/user/instructions.md': '# Use it\n',
  ...shortWorkflow,
};
const call = (name: string, args: object) => ({ name, arguments: args as never });
const node = (script: string) => call('run_command', { program: 'node', args: ['-e', script] });
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
          call('todo_write', { phase: 'Work', description: 'Do it.', todos: [{ content: 'Do it' }] }),
          call('todo_complete', { note: 'planned' }),
        ],
      };
    const encodings = `const t = process.env.TOKEN; console.log(t, Buffer.from(t).toString('hex'), Buffer.from(t).toString('base64'));`;
    const steps = [
      [node(encodings), node(`${encodings} process.exit(3)`)],
      [node(`require('fs').writeFileSync('work.txt', process.env.TOKEN)`), node('throw new Error(process.env.TOKEN)')],
      [node('console.log(process.env.REDIS_URL, process.env.OPENAI_API_KEY, process.env.PHASELINE_API_KEYS)')],
    ];
    return { calls: steps[turn] ?? [call('todo_complete', { note: 'done' })] };
  },
};

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a service until it ends, and returns all that it wrote. It is sent SIGUSR2 when it is ready. */
async function runService(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...args, join(root, 'dist/services', `${name}.js`)], {
    cwd: tmpdir(),
    env: { PATH, HOME, PHASELINE_ENV_FILE: 'none', ...env },
  });
  let text = '';
  let isReady = false;
  const collect = (chunk: Buffer): void => {
    text += chunk.toString();
    if (isReady || !text.includes('"ready"')) return;
    isReady = true;
    child.kill('SIGUSR2');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const limit = setTimeout(() => child.kill('SIGKILL'), 90_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  return { code, text };
}

describe.runIf(await findRedisServer())('with queues in Redis, secrets and keys', { timeout: 240_000 }, () => {
  let folder: string;
  let home: LocalHome;
  let stack: RunningStack;
  let model: RehearsalServer;
  let pool: pg.Pool;
  let redis: NonNullable<Awaited<ReturnType<typeof startRedis>>>;
  let watch: Awaited<ReturnType<typeof watchRedis>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phaseline-secrets-redis-'));
    for (const [path, text] of Object.entries(definitions)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    model = await startRehearsalServer({ policies: [policy] });
    redis = (await startRedis({ dataDir: join(folder, 'redis'), password: secrets['redisPassword'] }))!;
    watch = await watchRedis(redis.url);
    const { PATH, HOME } = process.env;
    const env = {
      ...{ PATH, HOME, LOG_LEVEL: 'trace', PHASELINE_HOME: join(folder, 'home'), REDIS_URL: redis.url },
      ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: secrets['modelKey'] },
      PHASELINE_API_KEYS: `ada=${secrets['apiKey']}`,
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      PHASELINE_SHIPPED_DEFINITIONS: '0',
      PHASELINE_WORKFLOWS_DIR: join(folder, 'workflows'),
      PHASELINE_MODELS_DIR: join(folder, 'models'),
    };
    home = await openLocalHome(env, folder);
    stack = await startStack({ home, plan: planStack(env, {}), env, signal: new AbortController().signal });
    pool = createTestPool({ connectionString: stack.databaseUrl, max: 2 });
  }, 120_000);

  afterAll(async () => {
    watch?.stop();
    await pool?.end();
    await stack?.stop();
    await redis?.stop();
    await model?.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('are in no command to Redis, none of its keys and files, no table, log, file or answer', async () => {
    const client = new PhaselineClient({ baseUrl: stack.apiUrl, apiKey: secrets['apiKey'] });
    const answers: unknown[] = [await client.secrets.store('TOKEN', { value: secrets['token']!, agent: 'user' })];
    const { jobId } = await client.submit({ agent: 'user', instructions: 'Use the secret.' });
    expect(await client.wait(jobId, { timeoutMs: 180_000 })).toMatchObject({ status: 'completed' });
    const page = await client.eventPage(jobId, { limit: 500 });
    answers.push(page, await client.files(jobId), await client.queues(), await client.processes());
    // The secret was in use, and was masked.
    expect(JSON.stringify(page).match(/\[TOKEN\]/g)?.length).toBeGreaterThan(4);
    expect(await client.readText(jobId, 'work.txt')).toBe('[TOKEN]');
    expect(secretsIn(JSON.stringify(answers))).toEqual([]);

    // The messages of this job went through Redis, and were seen.
    expect(watch.commands.filter((args) => args.some((arg) => arg.includes(jobId))).length).toBeGreaterThan(4);
    expect(watch.commands.flatMap((args) => args.flatMap(secretsIn))).toEqual([]);
    expect((await readRedis(redis.url)).length).toBeGreaterThan(0);
    expect(await searchRedis(redis.url)).toEqual([]);
    expect(await searchFolder(join(folder, 'redis'))).toEqual([]);
    expect(await searchTables(pool)).toEqual([]);
    expect(await searchFolder(home.directory)).toEqual([]);
  });

  it('are in no output of a service that crashes, or that Redis refuses', async () => {
    const settings = {
      ...{ DATABASE_URL: stack.databaseUrl, PORT: '0', LOG_LEVEL: 'trace', OPENAI_API_KEY: secrets['modelKey'] },
      ...{ PHASELINE_MODELS_DIR: join(folder, 'models'), PHASELINE_SHIPPED_DEFINITIONS: '0' },
      ...{ PHASELINE_QUEUE_BACKEND: 'redis', OPENAI_BASE_URL: model.baseUrl },
    };
    const onSignal = `process.on('SIGUSR2', () => { throw new Error('crash with ' + process.env.REDIS_URL); });`;
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(onSignal)}`];
    secrets['wrongPassword'] = canary('wrong-password');
    const [crashed, refused] = await Promise.all([
      runService('tactical-worker', preload, { ...settings, REDIS_URL: redis.url }),
      runService('tactical-worker', [], {
        ...{ ...settings, PHASELINE_DATABASE_WAIT_MS: '500' },
        REDIS_URL: redis.url.replace(secrets['redisPassword']!, secrets['wrongPassword']),
      }),
    ]);
    expect(crashed).toMatchObject({ code: 70, text: expect.stringContaining('crash with') });
    for (const { code, text } of [crashed, refused]) {
      expect(code, text).not.toBe(0);
      expect(secretsIn(text)).toEqual([]);
    }
  });

  it('would be found in keys of every type', async () => {
    const value = `prefix ${secrets['token']!} suffix`;
    const planted: readonly (readonly [string, ...string[]])[] = [
      ['SET', 'planted:string', value],
      ['HSET', 'planted:hash', 'field', value],
      ['RPUSH', 'planted:list', value],
      ['SADD', 'planted:set', value],
      ['ZADD', 'planted:zset', '1', value],
      ['XADD', 'planted:stream', '*', 'field', value],
      ['SET', `planted:${Buffer.from(secrets['token']!).toString('base64')}`, 'x'],
    ];
    await sendToRedis(redis.url, 3, planted);
    const seen = () => watch.commands.filter((args) => args.some((arg) => secretsIn(arg).length > 0)).length;
    await expect.poll(seen).toBe(planted.length);
    expect(await searchRedis(redis.url)).toHaveLength(planted.length);
    expect(await searchFolder(join(folder, 'redis'))).not.toEqual([]);
  });
});
