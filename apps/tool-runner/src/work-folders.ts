import { resolve } from 'node:path';
import { DiskFolders, type FolderNeed, type SweptFolders } from '@phaseline/remote-packs';
import type { JobId } from '@phaseline/contracts';
import { claimAbandonedFolders, claimFolder, type ClaimedFolder } from '@phaseline/workspace';

const SWEEP_INTERVAL_MS = 10 * 60_000;

export interface WorkFoldersOptions {
  readonly root: string;
  /** Milliseconds for which the caches of ended phases of an open job are kept after their last use. */
  readonly keepMs: number;
  readonly readNeed: (jobId: JobId) => Promise<FolderNeed>;
  /** Called after each sweep that removed something, or failed. */
  readonly onSwept: (swept: SweptFolders | { readonly error: unknown }) => void;
}

/**
 * The working folders of this process. Folders of ended jobs and phases are removed when the process starts and then every ten minutes,
 * also those that a process left which no longer runs.
 */
export class WorkFolders {
  readonly folders: DiskFolders;
  private readonly root: string;
  private claim: Promise<ClaimedFolder> | undefined;
  private readonly timer: NodeJS.Timeout;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(private readonly options: WorkFoldersOptions) {
    this.root = resolve(options.root);
    this.folders = new DiskFolders(async () => {
      this.claim ??= claimFolder(this.root);
      return (await this.claim).folder;
    });
    this.timer = setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS).unref();
    void this.sweep();
  }

  /** Removes the folders that are not needed. A failure is no problem: the next sweep tries again. */
  sweep(): Promise<void> {
    const { onSwept } = this.options;
    this.sweeping = this.sweeping
      .then(async () => {
        const swept = await this.sweepAll();
        if (swept.jobs + swept.phases > 0) onSwept(swept);
      })
      .catch((error: unknown) => onSwept({ error }));
    return this.sweeping;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
    await (await this.claim)?.release();
  }

  private async sweepAll(): Promise<SweptFolders> {
    const { readNeed, keepMs } = this.options;
    const sweep = { readNeed, keepMs, now: Date.now() };
    let { jobs, phases } = this.claim ? await this.folders.sweep(sweep) : { jobs: 0, phases: 0 };
    const abandoned = await claimAbandonedFolders(this.root);
    try {
      for (const { folder } of abandoned) {
        const swept = await new DiskFolders(folder).sweep(sweep);
        jobs += swept.jobs;
        phases += swept.phases;
      }
    } finally {
      await Promise.all(abandoned.map(({ release }) => release()));
    }
    return { jobs, phases };
  }
}
