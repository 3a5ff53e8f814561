import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '@phaseline/fault-points';
import { DiskFolders, type KeptFolders } from '@phaseline/remote-packs';
import { claimFolder } from '@phaseline/workspace';
import { UNFINISHED_FILE } from './chaos-job.js';

const POLL_INTERVAL_MS = 10;

/** Creates the working folders of commands below `root`, which pass the fault points of commands. */
export function createChaosFolders(root: string): KeptFolders {
  return withFaultPoints(new DiskFolders(async () => (await claimFolder(root)).folder));
}

function withFaultPoints(folders: KeptFolders): KeptFolders {
  return {
    use: (request, work) =>
      folders.use(request, async (folder) => {
        const isUnfinished = (): boolean => existsSync(join(folder.folder, UNFINISHED_FILE));
        const timer = setInterval(() => {
          if (isUnfinished()) faultPoint('tool.during-command', request.jobId);
        }, POLL_INTERVAL_MS);
        try {
          return await work({
            ...folder,
            takeIn: () => {
              clearInterval(timer);
              faultPoint('tool.after-command', request.jobId);
              return folder.takeIn();
            },
          });
        } finally {
          clearInterval(timer);
        }
      }),
  };
}
