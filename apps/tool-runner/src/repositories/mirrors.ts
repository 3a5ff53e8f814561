import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SSH_KEY_FILE } from './ssh-command.js';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

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

  /** Returns the mirror of a source for a tenant. `create` makes an empty repository; a process that is killed leaves no half of one. */
  async openMirror(tenant: string, source: string, create: (folder: string) => Promise<void>): Promise<string> {
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
