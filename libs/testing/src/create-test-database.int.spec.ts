import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './create-test-database.js';

const createdDatabases: TestDatabase[] = [];

async function create(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  createdDatabases.push(database);
  return database;
}

async function withClient<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

afterEach(async () => {
  for (const database of createdDatabases.splice(0)) await database.drop();
});

describe('createTestDatabase', () => {
  it('gives every caller a separate database, also with concurrent callers', async () => {
    const databases = await Promise.all(Array.from({ length: 6 }, create));
    await withClient(databases[0]!.ownerUrl, (client) => client.query('CREATE TABLE only_here ()'));
    const others = await Promise.all(
      databases
        .slice(1)
        .map(({ ownerUrl }) =>
          withClient(ownerUrl, async (client) => (await client.query("SELECT to_regclass('only_here') AS found")).rows),
        ),
    );
    expect(others.flat()).toEqual(Array.from({ length: 5 }, () => ({ found: null })));
  });

  it('contains the migrated schemas', async () => {
    const { ownerUrl } = await create();
    const schemas = await withClient(
      ownerUrl,
      async (client) => (await client.query('SELECT nspname FROM pg_namespace')).rows as { nspname: string }[],
    );
    expect(schemas.map(({ nspname }) => nspname)).toEqual(expect.arrayContaining(['phaseline', 'bullmq']));
  });

  it('lets services connect, but not create anything', async () => {
    const { serviceUrl } = await create();
    await withClient(serviceUrl, async (client) => {
      await expect(client.query('CREATE SCHEMA mine')).rejects.toThrow(/permission denied/);
      await expect(client.query('CREATE TABLE public.mine ()')).rejects.toThrow(/permission denied/);
    });
  });

  it('drops a database that still has connections', async () => {
    const { ownerUrl, drop } = await create();
    const client = new pg.Client({ connectionString: ownerUrl });
    client.on('error', () => {});
    await client.connect();
    await drop();
    await expect(client.query('SELECT 1')).rejects.toThrow();
    await expect(withClient(ownerUrl, async () => {})).rejects.toThrow(/does not exist/);
  });
});
