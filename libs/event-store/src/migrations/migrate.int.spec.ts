import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../testing/store.fixture.js';
import { MigrationChanged, MigrationFailed, MigrationFolderInvalid } from './migration-errors.js';
import { migrate } from './migrate.js';

const pools = useTestDatabase();
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'migrations-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
  await pools.owner.query(
    `DELETE FROM phaseline.migrations WHERE name LIKE '9%'; DROP TABLE IF EXISTS phaseline.one, phaseline.two`,
  );
});

const write = (name: string, sql: string): Promise<void> => writeFile(join(directory, name), sql);

describe('migrate', () => {
  it('applies nothing to a database that is up to date', async () => {
    expect(await migrate(pools.database.ownerUrl)).toEqual({ applied: [] });
  });

  it('runs each file once, in order, and logs it', async () => {
    await write('900002_two.sql', 'CREATE TABLE phaseline.two (one integer REFERENCES phaseline.one (id))');
    await write('900001_one.sql', 'CREATE TABLE phaseline.one (id integer PRIMARY KEY)');
    const lines: string[] = [];
    expect(await migrate(pools.database.ownerUrl, { directory, log: (line) => lines.push(line) })).toEqual({
      applied: ['900001_one.sql', '900002_two.sql'],
    });
    expect(lines).toEqual(['applied migration 900001_one.sql', 'applied migration 900002_two.sql']);
    expect(await migrate(pools.database.ownerUrl, { directory })).toEqual({ applied: [] });
  });

  it('runs a file once when several processes migrate concurrently', async () => {
    await write('900001_one.sql', 'SELECT pg_sleep(0.05); CREATE TABLE phaseline.one (id integer)');
    const results = await Promise.all(Array.from({ length: 4 }, () => migrate(pools.database.ownerUrl, { directory })));
    expect(results.flatMap((result) => result.applied)).toEqual(['900001_one.sql']);
  });

  it('runs nothing if an applied file was edited', async () => {
    await write('900001_one.sql', 'CREATE TABLE phaseline.one (id integer)');
    await migrate(pools.database.ownerUrl, { directory });
    await write('900001_one.sql', 'CREATE TABLE phaseline.one (id bigint)');
    await write('900002_two.sql', 'CREATE TABLE phaseline.two ()');
    await expect(migrate(pools.database.ownerUrl, { directory })).rejects.toSatisfy(
      (error) =>
        error instanceof MigrationChanged && error.code === 'migration_changed' && error.migration === '900001_one.sql',
    );
    const { rows } = await pools.owner.query(`SELECT to_regclass('phaseline.two') AS two`);
    expect(rows).toEqual([{ two: null }]);
  });

  it('ignores changed line endings', async () => {
    await write('900001_one.sql', 'CREATE TABLE phaseline.one\n(id integer)\n');
    await migrate(pools.database.ownerUrl, { directory });
    await write('900001_one.sql', 'CREATE TABLE phaseline.one\r\n(id integer)\r\n');
    expect(await migrate(pools.database.ownerUrl, { directory })).toEqual({ applied: [] });
  });

  it('rolls back a failed file and names it in the error', async () => {
    await write('900001_one.sql', 'CREATE TABLE phaseline.one (id integer)');
    await write('900002_two.sql', 'CREATE TABLE phaseline.two (); SELECT nonsense');
    await expect(migrate(pools.database.ownerUrl, { directory })).rejects.toSatisfy(
      (error) =>
        error instanceof MigrationFailed && error.migration === '900002_two.sql' && error.message.includes('nonsense'),
    );
    const { rows } = await pools.owner.query(
      `SELECT to_regclass('phaseline.one')::text AS one, to_regclass('phaseline.two') AS two`,
    );
    expect(rows).toEqual([{ one: 'phaseline.one', two: null }]);
  });

  it.each([
    ['an empty folder', []],
    ['a name without a number', ['one.sql']],
    ['a duplicate number', ['900001_one.sql', '900001_two.sql']],
  ])('refuses %s', async (_, names) => {
    for (const name of names) await write(name, 'SELECT 1');
    await expect(migrate(pools.database.ownerUrl, { directory })).rejects.toBeInstanceOf(MigrationFolderInvalid);
  });
});
