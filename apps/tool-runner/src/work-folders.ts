import { resolve } from 'node:path';
import type { JobId } from '@phaseline/contracts';
import { DiskFolders } from '@phaseline/remote-packs';
import { claimFolder, type ClaimedFolder } from '@phaseline/workspace';

const SWEEP_INTERVAL_MS = 10 * 60_000;

/** The working folders of this process. Folders of ended jobs are removed at the first use and then every ten minutes. */
export class WorkFolders {
  readonly folders: DiskFolders;
  private claim: Promise<ClaimedFolder> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> = Promise.resolve();

  constructor(
    root: string,
    private readonly isJobOpen: (jobId: JobId) => Promise<boolean>,
  ) {
    this.folders = new DiskFolders(async () => {
      this.claim ??= claimFolder(resolve(root));
      const { folder } = await this.claim;
      this.timer ??= setInterval(() => this.sweep(), SWEEP_INTERVAL_MS).unref();
      return folder;
    });
  }

  /** Removes the folders of ended jobs. A failure is no problem: the next sweep tries again. */
  sweep(): void {
    this.sweeping = this.sweeping.then(() => this.folders.sweep(this.isJobOpen)).catch(() => undefined);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
    await (await this.claim)?.release();
  }
}
