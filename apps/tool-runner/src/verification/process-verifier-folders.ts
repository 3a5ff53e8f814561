import { VerifierFolders } from '@phaseline/verification';
import { claimFolder, type ClaimedFolder } from '@phaseline/workspace';

/** The folders of the verifiers that this process runs, claimed at the first run. */
export class ProcessVerifierFolders {
  readonly folders: VerifierFolders;
  private claim: Promise<ClaimedFolder> | undefined;

  constructor(root: string) {
    this.folders = new VerifierFolders(async () => {
      this.claim ??= claimFolder(root);
      return (await this.claim).folder;
    });
  }

  async close(): Promise<void> {
    await (await this.claim)?.release();
  }
}
