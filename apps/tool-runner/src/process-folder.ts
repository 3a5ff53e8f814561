import { claimFolder, type ClaimedFolder } from '@phaseline/workspace';

/** A folder that only this process uses, claimed at the first use. */
export class ProcessFolder {
  private claim: Promise<ClaimedFolder> | undefined;

  constructor(private readonly root: string) {}

  /** Returns the path of the folder. */
  readonly open = async (): Promise<string> => {
    this.claim ??= claimFolder(this.root);
    return (await this.claim).folder;
  };

  async close(): Promise<void> {
    await (await this.claim)?.release();
  }
}
