import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTemporaryFolder } from '../commands-bench.fixture.js';
import { makeWorkingFolder } from './working-folder.js';

it('creates folders, also below a link that stays inside', async () => {
  const root = makeTemporaryFolder();
  await makeWorkingFolder(root, '');
  await makeWorkingFolder(root, 'a/b');
  symlinkSync('a', join(root, 'link'));
  await makeWorkingFolder(root, 'link/c');
  expect([existsSync(join(root, 'a/b')), existsSync(join(root, 'a/c'))]).toEqual([true, true]);
});

it('creates nothing outside', async () => {
  const root = makeTemporaryFolder();
  const outside = makeTemporaryFolder();
  mkdirSync(join(root, 'cache'));
  symlinkSync(outside, join(root, 'cache/way'));
  symlinkSync('../../../../..', join(root, 'cache/up'));
  symlinkSync('nothing', join(root, 'dangling'));
  writeFileSync(join(root, 'file'), '');
  for (const path of ['cache/way', 'cache/way/made', 'cache/up', 'dangling', 'dangling/made', 'file', 'file/made'])
    await expect(makeWorkingFolder(root, path), path).rejects.toThrow();
  expect(existsSync(join(outside, 'made'))).toBe(false);
  expect(existsSync(join(root, 'nothing'))).toBe(false);
});
