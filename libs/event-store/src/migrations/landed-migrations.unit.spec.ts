import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultMigrationsDirectory, readMigrationFiles } from './migration-files.js';

// A landed migration has run on databases that nobody here can see. landed.sha256 (as `sha256sum *.sql` prints it) holds them all.
it('every migration is what it was when it landed, and every landed one is still there', async () => {
  const landed = (await readFile(join(defaultMigrationsDirectory, 'landed.sha256'), 'utf8')).trim().split('\n');
  const files = await readMigrationFiles();
  expect(files.map(({ name, hash }) => `${hash}  ${name}`)).toEqual(landed);
});
