import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeScratchCopy } from './scratch-copy.js';

let checkout: string;
beforeEach(async () => {
  checkout = await realpath(await mkdtemp(join(tmpdir(), 'checkout-')));
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(join(checkout, file, '..'), { recursive: true });
    await writeFile(join(checkout, file), text);
  };
  await write('.gitignore', 'node_modules\ndist\n');
  await write('libs/one/package.json', '{}');
  await write('libs/one/src/a.ts', 'a');
  await write('libs/one/dist/a.js', 'built');
  await write('libs/one/node_modules/nested/index.js', 'nested');
  await write('node_modules/other/index.js', 'other');
  await write('node_modules/.cache/x', 'x');
  await mkdir(join(checkout, 'node_modules/@phaseline'));
  await symlink('../../libs/one', join(checkout, 'node_modules/@phaseline/one'));
  execFileSync('git', ['init', '-q'], { cwd: checkout });
  execFileSync('git', ['add', '.'], { cwd: checkout });
});
afterEach(() => rm(checkout, { recursive: true }));

it('copies the current files known to git, and links installed packages, with own packages linked to the copy', async () => {
  await writeFile(join(checkout, 'libs/one/src/a.ts'), 'changed');
  const { root, remove } = await makeScratchCopy(checkout);
  try {
    expect(await readFile(join(root, 'libs/one/src/a.ts'), 'utf8')).toBe('changed');
    expect(existsSync(join(root, 'libs/one/dist'))).toBe(false);
    expect(existsSync(join(root, 'node_modules/.cache'))).toBe(false);
    expect(await realpath(join(root, 'node_modules/other'))).toBe(join(checkout, 'node_modules/other'));
    expect(await realpath(join(root, 'libs/one/node_modules/nested'))).toBe(
      join(checkout, 'libs/one/node_modules/nested'),
    );
    expect(await realpath(join(root, 'node_modules/@phaseline/one'))).toBe(join(root, 'libs/one'));
    await writeFile(join(root, 'node_modules/@phaseline/one/src/a.ts'), 'mutated');
    expect(await readFile(join(checkout, 'libs/one/src/a.ts'), 'utf8')).toBe('changed');
  } finally {
    await remove();
  }
  expect(existsSync(root)).toBe(false);
  expect(existsSync(join(checkout, 'node_modules/other/index.js'))).toBe(true);
});
