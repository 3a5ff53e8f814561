import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '@phaseline/fault-points';
import { createCommandsPack, DiskFolders, type KeptFolders } from '@phaseline/remote-packs';
import { Sandbox } from '@phaseline/sandbox';
import type { ToolPack } from '@phaseline/tools';
import { claimFolder } from '@phaseline/workspace';
import { UNFINISHED_FILE } from './chaos-job.js';

const POLL_INTERVAL_MS = 10;

/** Creates the shipped pack of commands, whose working folders are below `root` and pass the fault points of commands. */
export function createChaosCommands(root: string): ToolPack {
  const kept = new DiskFolders(async () => (await claimFolder(root)).folder);
  return createCommandsPack({ folders: withFaultPoints(kept), sandbox: new Sandbox({ mode: 'auto' }) });
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
