import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { SSH_KEY_FILE } from './ssh-command.js';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

const MIRROR = /^[0-9a-f]{32}\.git$/;
/** A mirror that a process was making or removing when it was killed. */
const LEFT_OVER = /^[0-9a-f]{32}\.[0-9a-f-]{36}\.(?:new|old)$/;

/** Folders of this machine for repositories: one bare mirror per tenant and source, and temporary folders. */
export class RepositoryFolders {
  constructor(private readonly root: string) {}

  /** Runs work with a temporary folder that is removed afterwards. */
  async withScratch<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
    const parent = join(this.root, 'scratch');
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(parent, 'work-'));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** Removes temporary folders that killed processes left more than a day ago, and private keys in those that are older than an hour. */
  async sweep(now: number): Promise<void> {
    const parent = join(this.root, 'scratch');
    for (const name of await readdir(parent).catch(() => [])) {
      const found = await stat(join(parent, name)).catch(() => undefined);
      if (!found) continue;
      const age = now - found.mtimeMs;
      if (age > DAY_MS) await rm(join(parent, name), { recursive: true, force: true });
      // ssh reads the key when it starts, so a git command that still runs does not need it.
      else if (age > HOUR_MS) await rm(join(parent, name, SSH_KEY_FILE), { force: true });
    }
  }

  /**
   * Runs work with the mirror of a source for a tenant. `create` makes an empty repository; a process that is killed leaves no half of
   * one. The mirror is not removed meanwhile.
   */
  async useMirror<Result>(
    { tenant, source }: { readonly tenant: string; readonly source: string },
    create: (folder: string) => Promise<void>,
    work: (folder: string) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      const folder = await this.openMirror(tenant, source, create);
      // A sweep that had decided to remove it before finds it used, or has removed it by now.
      if (!(await markUsed(folder))) continue;
      try {
        return await work(folder);
      } finally {
        await markUsed(folder);
      }
    }
  }

  /**
   * Removes mirrors that were not used for `keepMs`, and what killed processes left of them. Returns the number of mirrors. Links, and
   * whatever else is in the folder, are left alone.
   */
  async sweepMirrors(now: number, keepMs: number): Promise<number> {
    const parent = join(this.root, 'mirrors');
    if (!(await lstat(parent).catch(() => undefined))?.isDirectory()) return 0;
    let removed = 0;
    for (const entry of await readdir(parent, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const place = join(parent, entry.name);
      const isLeftOver = LEFT_OVER.test(entry.name) && now - ((await readUse(place)) ?? now) > DAY_MS;
      if (isLeftOver) await rm(place, { recursive: true, force: true, maxRetries: 3 });
      else if (MIRROR.test(entry.name) && (await this.removeUnused(place, now - keepMs))) removed += 1;
    }
    return removed;
  }

  /** Renames a mirror before it is removed, so that a process that begins to use it meanwhile either keeps it or makes a new one. */
  private async removeUnused(folder: string, usedBefore: number): Promise<boolean> {
    const used = await readUse(folder);
    if (used === undefined || used >= usedBefore) return false;
    const old = folder.replace(/git$/, `${randomUUID()}.old`);
    const isRenamed = await rename(folder, old).then(
      () => true,
      () => false,
    );
    if (!isRenamed) return false;
    if (((await readUse(old)) ?? 0) >= usedBefore) {
      // Used since. If another process made a new one already, this one is left over.
      await rename(old, folder).catch(() => undefined);
      return false;
    }
    await rm(old, { recursive: true, force: true, maxRetries: 3 });
    return true;
  }

  private async openMirror(tenant: string, source: string, create: (folder: string) => Promise<void>): Promise<string> {
    const name = createHash('sha256')
      .update(JSON.stringify([tenant, source]))
      .digest('hex')
      .slice(0, 32);
    const folder = join(this.root, 'mirrors', `${name}.git`);
    if (await lstat(folder).catch(() => undefined)) return folder;
    await mkdir(join(this.root, 'mirrors'), { recursive: true, mode: 0o700 });
    const fresh = join(this.root, 'mirrors', `${name}.${randomUUID()}.new`);
    await mkdir(fresh, { mode: 0o700 });
    await create(fresh);
    try {
      await rename(fresh, folder);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      // Another process was first.
      if (!(await lstat(folder).catch(() => undefined))) throw error;
    }
    return folder;
  }
}

/** Sets the time of the last use. Returns false if the mirror is gone. */
async function markUsed(folder: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(folder, now, now);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Returns the time of the last use in milliseconds since 1970; `undefined` if the folder is gone. */
async function readUse(folder: string): Promise<number | undefined> {
  return (await lstat(folder).catch(() => undefined))?.mtimeMs;
}
