import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '@phaseline/event-store';
import { provisionDatabase, provisionRoles, startPostgres, startRedis } from '@phaseline/local-stack';
import { migrateQueues } from '@phaseline/queue';
import type { TestServer } from '@phaseline/testing';

/**
 * Runs once per test run: starts a PostgreSQL server with a migrated template database, which `createTestDatabase` copies, and a Redis
 * server if one is available.
 *
 * DATABASE_URL_FOR_TESTS: superuser URL of a server to use instead of the embedded one.
 * REDIS_URL: Redis server to use. Default: a `redis-server` on the PATH is started; if there is none, specs run without Redis.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cleanUp: (() => Promise<unknown>)[] = [];
  const tearDown = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    const externalUrl = process.env.DATABASE_URL_FOR_TESTS;
    const superuserUrl = externalUrl ?? (await startEmbeddedServer(cleanUp));
    const server = nameTestServer(superuserUrl);
    if (externalUrl) cleanUp.push(() => dropTemplate(server));
    await createTemplate(server);
    project.provide('testServer', server);
    project.provide('testRedis', await startTestRedis(cleanUp));
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}

const folderPrefix = 'phaseline-test-';

async function startEmbeddedServer(cleanUp: (() => Promise<unknown>)[]): Promise<string> {
  await removeLeftovers();
  const directory = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  // When started by root, PostgreSQL runs as another user, who must be able to traverse this directory.
  await chmod(directory, 0o711);
  cleanUp.push(() => rm(directory, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(directory, 'data'), durable: false });
  cleanUp.push(() => postgres.stop());
  if (postgres.superuserUrl === undefined) throw new Error('the data directory of the tests already existed');
  return postgres.superuserUrl;
}

/** Removes the directories of test runs that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = new RegExp(`^${folderPrefix}(\\d+)-`).exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Chooses unique names for the roles and the template: they belong to the whole server, which other runs may use. */
function nameTestServer(superuserUrl: string): TestServer {
  const run = randomBytes(6).toString('hex');
  const login = (name: string): TestServer['owner'] => ({
    name: `phaseline_test_${run}_${name}`,
    password: randomBytes(24).toString('hex'),
  });
  return { superuserUrl, templateDatabase: `phaseline_test_${run}`, owner: login('owner'), app: login('app') };
}

async function createTemplate(server: TestServer): Promise<void> {
  await provisionRoles(server.superuserUrl, server);
  await provisionDatabase(server.superuserUrl, server.templateDatabase, server.owner.name);
  const url = new URL(server.superuserUrl);
  Object.assign(url, {
    username: server.owner.name,
    password: server.owner.password,
    pathname: `/${server.templateDatabase}`,
  });
  await migrate(url.href);
  await migrateQueues(url.href);
  // A database with connections cannot be copied. This also keeps autovacuum from connecting.
  await administer(server, [`ALTER DATABASE ${server.templateDatabase} ALLOW_CONNECTIONS false`]);
}

async function startTestRedis(
  cleanUp: (() => Promise<unknown>)[],
): Promise<{ url: string; databases: number } | undefined> {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, databases: 0 };
  const databases = 4096;
  const redis = await startRedis({ databases });
  if (redis === undefined) return undefined;
  cleanUp.push(() => redis.stop());
  return { url: redis.url, databases };
}

async function dropTemplate({ superuserUrl, templateDatabase, owner, app }: TestServer): Promise<void> {
  await administer({ superuserUrl }, [
    `DROP DATABASE IF EXISTS ${templateDatabase} WITH (FORCE)`,
    `DROP ROLE IF EXISTS ${owner.name}`,
    `DROP ROLE IF EXISTS ${app.name}`,
  ]);
}

async function administer(
  { superuserUrl }: Pick<TestServer, 'superuserUrl'>,
  statements: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
