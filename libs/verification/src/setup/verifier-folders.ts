import { createHash, randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readdir, realpath, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { toCanonicalJson } from '@phaseline/basics';
import { removeDiskFile } from '@phaseline/workspace';

/** Number of caches of dependencies that are kept: the most recently used ones. */
const MAX_CACHES = 20;

const CACHES = 'dependencies';
const RUNS = 'runs';

/** Folders of a run, which are removed after it. */
export interface RunFolders {
  readonly folder: string;
  readonly tmp: string;
}

/**
 * Folders of verifiers below a folder that only this process uses: one per run, removed after it, and caches of dependencies, named by the
 * hash of everything that decides what is in them.
 */
export class VerifierFolders {
  private opened: Promise<string> | undefined;
  private readonly building = new Map<string, Promise<string>>();
  private readonly inUse = new Map<string, number>();

  /** `root` is a folder that only this process uses, or a function that claims one at the first use. */
  constructor(private readonly root: string | (() => Promise<string>)) {}

  /**
   * Calls `work` with the new, empty folders of a run, and removes them. `owner` is the user of commands, if that is another than the user
   * of this process: it may pass to these folders, and sees no others.
   */
  async withRun<Result>(owner: number | undefined, work: (folders: RunFolders) => Promise<Result>): Promise<Result> {
    const root = await this.open();
    const base = join(root, RUNS, randomUUID());
    const folders = { folder: join(base, 'workspace'), tmp: join(base, 'tmp') };
    try {
      for (const place of Object.values(folders)) await mkdir(place, { recursive: true, mode: 0o700 });
      if (owner !== undefined)
        for (const place of [root, join(root, RUNS), base]) {
          await chown(place, process.getuid!(), owner);
          await chmod(place, 0o710);
        }
      return await work(folders);
    } finally {
      await removeDiskFile(base);
    }
  }

  /**
   * Calls `use` with the folder of a cache. A missing one is built first: `fill` writes into a new folder, which then gets its name at once, so
   * that no half-filled cache is ever used. Calls side by side build one cache once. Nothing else writes into it.
   */
  async withCache<Result>(
    { key, owner }: { readonly key: string; readonly owner: number | undefined },
    fill: (folders: RunFolders) => Promise<void>,
    use: (folder: string) => Promise<Result>,
  ): Promise<Result> {
    this.inUse.set(key, (this.inUse.get(key) ?? 0) + 1);
    try {
      let building = this.building.get(key);
      if (!building) {
        building = this.ensureCache(key, owner, fill).finally(() => this.building.delete(key));
        this.building.set(key, building);
      }
      return await use(await building);
    } finally {
      const uses = this.inUse.get(key)! - 1;
      if (uses === 0) this.inUse.delete(key);
      else this.inUse.set(key, uses);
    }
  }

  private async ensureCache(
    key: string,
    owner: number | undefined,
    fill: (folders: RunFolders) => Promise<void>,
  ): Promise<string> {
    const place = join(await this.open(), CACHES, key);
    const touch = (): Promise<boolean> =>
      utimes(place, new Date(), new Date()).then(
        () => true,
        () => false,
      );
    if (await touch()) return place;
    await this.withRun(owner, async (folders) => {
      await fill(folders);
      await rename(folders.folder, place);
    });
    await touch();
    await this.removeOldCaches();
    return place;
  }

  private async removeOldCaches(): Promise<void> {
    const caches = join(await this.open(), CACHES);
    const found: { readonly name: string; readonly usedAt: number }[] = [];
    for (const name of await readdir(caches)) found.push({ name, usedAt: (await stat(join(caches, name))).mtimeMs });
    found.sort((left, right) => right.usedAt - left.usedAt);
    for (const { name } of found.slice(MAX_CACHES)) if (!this.inUse.has(name)) await removeDiskFile(join(caches, name));
  }

  private open(): Promise<string> {
    this.opened ??= (async () => {
      const root = typeof this.root === 'string' ? this.root : await this.root();
      await mkdir(root, { recursive: true, mode: 0o700 });
      // What a process left that was killed during a run.
      await removeDiskFile(join(root, RUNS));
      for (const name of [RUNS, CACHES]) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
      return realpath(root);
    })();
    this.opened.catch(() => (this.opened = undefined));
    return this.opened;
  }
}

/** Returns the name of a cache: the hash of everything that decides what is in it. */
export function hashCacheKey(parts: unknown): string {
  return createHash('sha256').update(toCanonicalJson(parts)).digest('hex');
}
