import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultMigrationsDirectory, readMigrationFiles } from './migration-files.js';

// A landed migration may have run on any database, so it must never change. landed.sha256 is the output of `sha256sum 0*.sql`.
it('landed migrations are unchanged and complete', async () => {
  const landed = (await readFile(join(defaultMigrationsDirectory, 'landed.sha256'), 'utf8')).trim().split('\n');
  const files = await readMigrationFiles();
  expect(files.map(({ name, hash }) => `${hash}  ${name}`)).toEqual(landed);
});
