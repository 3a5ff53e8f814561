import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import * as eventStore from '@phaseline/event-store';
import { provisionDatabase, provisionRoles, startPostgres, startRedis } from '@phaseline/local-stack';
import * as queue from '@phaseline/queue';
import type { TestServer } from '@phaseline/testing';

/**
 * Runs once for a whole test run, however many files it has: one PostgreSQL, migrated once into a template that
 * `createTestDatabase` copies, and a Redis where there is one.
 *
 * DATABASE_URL_FOR_TESTS: a superuser's URL of a server to use instead of the embedded one.
 * REDIS_URL: a Redis to use; otherwise a `redis-server` on the PATH is started, otherwise there is none.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cleanUp: (() => Promise<unknown>)[] = [];
  const tearDown = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    const given = process.env.DATABASE_URL_FOR_TESTS;
    const superuserUrl = given ?? (await embeddedServer(cleanUp));
    const server = testServer(superuserUrl);
    if (given) cleanUp.push(() => forget(server));
    await makeTemplate(server);
    project.provide('testServer', server);
    project.provide('testRedis', await testRedis(cleanUp));
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}

const folderPrefix = 'phaseline-test-';

async function embeddedServer(cleanUp: (() => Promise<unknown>)[]): Promise<string> {
  await sweep();
  const directory = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  // Root's PostgreSQL runs as another user, who has to pass through here.
  await chmod(directory, 0o711);
  cleanUp.push(() => rm(directory, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(directory, 'data'), durable: false });
  cleanUp.push(() => postgres.stop());
  if (postgres.superuserUrl === undefined) throw new Error('the data directory of the tests was there already');
  return postgres.superuserUrl;
}

/** Removes what runs left behind that were killed. */
async function sweep(): Promise<void> {
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

/** Roles belong to a whole server, which may not be ours alone: their names, and the template's, are new in every run. */
function testServer(superuserUrl: string): TestServer {
  const run = randomBytes(6).toString('hex');
  const login = (name: string): TestServer['owner'] => ({
    name: `phaseline_test_${run}_${name}`,
    password: randomBytes(24).toString('hex'),
  });
  return { superuserUrl, templateDatabase: `phaseline_test_${run}`, owner: login('owner'), app: login('app') };
}

async function makeTemplate(server: TestServer): Promise<void> {
  await provisionRoles(server.superuserUrl, server);
  await provisionDatabase(server.superuserUrl, server.templateDatabase, server.owner.name);
  const url = new URL(server.superuserUrl);
  Object.assign(url, {
    username: server.owner.name,
    password: server.owner.password,
    pathname: `/${server.templateDatabase}`,
  });
  await eventStore.migrate(url.href);
  await queue.migrateQueues(url.href);
  // A database that somebody is connected to cannot be copied: not even autovacuum may come near it.
  await administer(server, [`ALTER DATABASE ${server.templateDatabase} ALLOW_CONNECTIONS false`]);
}

async function testRedis(cleanUp: (() => Promise<unknown>)[]): Promise<{ url: string; databases: number } | undefined> {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, databases: 0 };
  const databases = 4096;
  const redis = await startRedis({ databases });
  if (redis === undefined) return undefined;
  cleanUp.push(() => redis.stop());
  return { url: redis.url, databases };
}

async function forget({ superuserUrl, templateDatabase, owner, app }: TestServer): Promise<void> {
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
