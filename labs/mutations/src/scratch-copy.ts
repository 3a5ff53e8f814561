import { execFile } from 'node:child_process';
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface ScratchCopy {
  /** Root of the copy. */
  readonly root: string;
  remove(): Promise<void>;
}

/**
 * Copies the files of a checkout that git knows or would add, with their current content, to a temporary folder. Installed packages are
 * linked; packages of this repository are linked to the copy, so that tests there run the copied code.
 */
export async function makeScratchCopy(checkout: string): Promise<ScratchCopy> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'phaseline-mutations-')));
  // Some specs run programs of the copy as another user.
  await chmod(root, 0o755);
  const remove = (): Promise<void> => rm(root, { recursive: true, force: true });
  try {
    const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: checkout,
      maxBuffer: 64 * 1024 * 1024,
    });
    const files = [...new Set(stdout.split('\0').filter(Boolean))];
    for (const folder of new Set(files.map((file) => dirname(file))))
      await mkdir(join(root, folder), { recursive: true });
    for (const file of files) await copy(join(checkout, file), join(root, file));
    const projects = files.filter((file) => /^(?:apps|libs)\/[^/]+\/package\.json$/.test(file)).map(dirname);
    for (const folder of ['', ...projects]) await linkModules(checkout, root, folder);
    return { root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Copies a file; skips one that was deleted without a commit. */
async function copy(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (found?.isSymbolicLink()) await symlink(await readlink(from), to);
  else if (found?.isFile()) await copyFile(from, to);
}

async function linkModules(checkout: string, root: string, folder: string): Promise<void> {
  const from = join(checkout, folder, 'node_modules');
  const to = join(root, folder, 'node_modules');
  const names = await readdir(from).catch(() => []);
  if (names.length > 0) await mkdir(to, { recursive: true });
  for (const name of names) {
    // Caches are not shared, so that writes of a test run stay in the copy.
    if (name.startsWith('.') && name !== '.bin') continue;
    if (name !== '@phaseline') {
      await symlink(join(from, name), join(to, name));
      continue;
    }
    await mkdir(join(to, name));
    for (const project of await readdir(join(from, name))) {
      const target = relative(await realpath(checkout), await realpath(join(from, name, project)));
      await symlink(join(root, target), join(to, name, project));
    }
  }
}
