import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { computeGuardSetVersion, type GuardSetFile } from '../set/guard-set.js';

/** Folders with the files of guard sets, one per version, which are mounted where hooks run. */
export class GuardSetFolders {
  private readonly opened = new Map<string, Promise<string>>();

  /** `root` is a folder that only this process uses, or a function that claims one at the first use. */
  constructor(private readonly root: string | (() => Promise<string>)) {}

  /**
   * Returns the folder with the files of a guard set, and creates it at the first use. Throws an error if the files do not have the version, so
   * that a changed script never runs under the name of another.
   */
  open(version: string, files: readonly GuardSetFile[]): Promise<string> {
    const known = this.opened.get(version);
    if (known) return known;
    const opening = this.create(version, files);
    this.opened.set(version, opening);
    opening.catch(() => this.opened.delete(version));
    return opening;
  }

  private async create(version: string, files: readonly GuardSetFile[]): Promise<string> {
    const found = computeGuardSetVersion(files);
    if (found !== version) throw new Error(`the guard set ${version} has files of the version ${found}`);
    const root = typeof this.root === 'string' ? this.root : await this.root();
    const place = join(root, version);
    if (await isFolder(place)) return place;
    // Made elsewhere first: a process that dies here leaves no half of a guard set under its name.
    const draft = join(root, `${version}.${randomUUID()}`);
    try {
      await mkdir(draft, { recursive: true, mode: 0o755 });
      for (const { path, content, isExecutable } of files) {
        const file = join(draft, path);
        await mkdir(dirname(file), { recursive: true, mode: 0o755 });
        await writeFile(file, content, { mode: isExecutable ? 0o555 : 0o444 });
      }
      await chmod(draft, 0o755);
      await rename(draft, place);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      if (!(await isFolder(place))) throw error;
    }
    return place;
  }
}

async function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
