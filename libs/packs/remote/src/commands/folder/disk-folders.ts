import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import { removeDiskFile } from '@phaseline/workspace';
import { chmod, chown, lstat, mkdir, readdir, realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderRequest, KeptFolders, OpenFolder } from './kept-folder.js';
import { PhaseFolderOnDisk } from './phase-folder.js';

const PHASE_FOLDER = /^phase-(\d+)$/;

/**
 * What a job needs of its folders: those of its current phase, or none because it has ended. `unknown` is a job of another log, or no job
 * at all: it is left alone.
 */
export type FolderNeed = { readonly phase: number } | 'ended' | 'unknown';

export interface FolderSweep {
  readonly readNeed: (jobId: JobId) => Promise<FolderNeed>;
  /** Milliseconds for which the caches of earlier phases of an open job are kept after their last use. */
  readonly keepMs: number;
  /** Current time in milliseconds since 1970. */
  readonly now: number;
}

/** Number of jobs, and of single phases of other jobs, whose folders were removed. */
export interface SweptFolders {
  readonly jobs: number;
  readonly phases: number;
}

/**
 * Working folders below one folder of this process: `<root>/<job>/phase-<n>`. A new phase takes over the folder of the phase before it,
 * so that caches survive; its `/tmp` and home are new.
 */
export class DiskFolders implements KeptFolders {
  private readonly openRoot: () => Promise<string>;
  private opened: Promise<string> | undefined;
  private readonly folders = new Map<string, PhaseFolderOnDisk>();
  /** The last call of each job, which the next one awaits. */
  private readonly last = new Map<string, Promise<unknown>>();

  /** `root` is a folder that only this process uses, or a function that claims one at the first use. */
  constructor(root: string | (() => Promise<string>)) {
    this.openRoot = typeof root === 'string' ? () => Promise.resolve(root) : root;
  }

  use<Result>(request: FolderRequest, work: (folder: OpenFolder) => Promise<Result>): Promise<Result> {
    return this.serialise(request.jobId, async () => {
      request.signal.throwIfAborted();
      const folder = await this.open(request.jobId, request.phase);
      if (request.owner !== undefined) await this.letPass(request.jobId, request.owner);
      try {
        return await folder.run(request, work);
      } finally {
        // Content of an encrypted job stays on disk only while a command needs it.
        if (isEncryptedJob(request.jobId)) await this.removeJob(request.jobId);
      }
    });
  }

  /**
   * Removes the folders of ended jobs and phases. Of an open job, a phase before the current one loses its `/tmp` and home at once, and
   * its caches once they were not used for `keepMs`. Links and other files below the root are left alone.
   */
  async sweep({ readNeed, keepMs, now }: FolderSweep): Promise<SweptFolders> {
    let [jobs, phases] = [0, 0];
    for (const entry of await readdir(await this.getRoot(), { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const need = await readNeed(entry.name);
      if (need === 'unknown') continue;
      await this.serialise(entry.name, async () => {
        if (need !== 'ended')
          return void (phases += await this.removeEarlierPhases(entry.name, need.phase, now - keepMs));
        await this.removeJob(entry.name);
        jobs += 1;
      });
    }
    return { jobs, phases };
  }

  private getRoot(): Promise<string> {
    this.opened ??= (async () => {
      const root = await this.openRoot();
      await mkdir(root, { recursive: true, mode: 0o700 });
      return realpath(root);
    })();
    this.opened.catch(() => (this.opened = undefined));
    return this.opened;
  }

  /** Runs one call of a job at a time. */
  private async serialise<Result>(jobId: JobId, run: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(jobId);
    const current = (async () => {
      await before?.catch(() => undefined);
      return run();
    })();
    this.last.set(jobId, current);
    try {
      return await current;
    } finally {
      if (this.last.get(jobId) === current) this.last.delete(jobId);
    }
  }

  private async open(jobId: JobId, phase: number): Promise<PhaseFolderOnDisk> {
    const place = join(await this.getRoot(), jobId, `phase-${phase}`);
    const known = this.folders.get(place);
    if (known) return known;
    await this.takeOver(jobId, phase);
    const folder = new PhaseFolderOnDisk(place);
    this.folders.set(place, folder);
    return folder;
  }

  /** Lets a user get to the folders of a job, which belong to the user of this process, and to nothing else in them. */
  private async letPass(jobId: JobId, user: number): Promise<void> {
    const root = await this.getRoot();
    for (const place of [root, join(root, jobId)]) {
      await mkdir(place, { recursive: true, mode: 0o700 });
      await chown(place, process.getuid!(), user);
      await chmod(place, 0o710);
    }
  }

  /** Makes the folder of the last earlier phase that of this one, and removes all others. */
  private async takeOver(jobId: JobId, phase: number): Promise<void> {
    const jobFolder = join(await this.getRoot(), jobId);
    const names = await readdir(jobFolder).catch((): string[] => []);
    const phases = names.map((name) => Number(PHASE_FOLDER.exec(name)?.[1])).filter((found) => found < phase);
    const latest = Math.max(...phases);
    for (const found of phases) {
      const place = join(jobFolder, `phase-${found}`);
      this.folders.delete(place);
      for (const part of ['tmp', 'home']) await removeDiskFile(join(place, part));
      if (found !== latest || names.includes(`phase-${phase}`)) await removeDiskFile(place);
      else await rename(place, join(jobFolder, `phase-${phase}`));
    }
  }

  /** Returns the number of removed folders of phases before `current`. */
  private async removeEarlierPhases(jobId: JobId, current: number, usedBefore: number): Promise<number> {
    const jobFolder = join(await this.getRoot(), jobId);
    let removed = 0;
    for (const entry of await readdir(jobFolder, { withFileTypes: true })) {
      const phase = Number(PHASE_FOLDER.exec(entry.name)?.[1]);
      if (!entry.isDirectory() || !(phase < current)) continue;
      const place = join(jobFolder, entry.name);
      // The folder itself changes when a command begins and ends, because of its marker.
      if ((await lstat(place)).mtimeMs < usedBefore) {
        this.folders.delete(place);
        await removeDiskFile(place);
        removed += 1;
        continue;
      }
      for (const part of ['tmp', 'home']) await removeDiskFile(join(place, part));
    }
    return removed;
  }

  private async removeJob(jobId: JobId): Promise<void> {
    const jobFolder = join(await this.getRoot(), jobId);
    for (const place of this.folders.keys()) if (place.startsWith(`${jobFolder}/`)) this.folders.delete(place);
    await removeDiskFile(jobFolder);
  }
}
