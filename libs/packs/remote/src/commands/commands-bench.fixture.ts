import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandSettings } from '@phaseline/contracts';
import { Sandbox } from '@phaseline/sandbox';
import { onTestFinished } from 'vitest';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';
import { createCommandsPack } from './commands-pack.js';
import { DiskFolders } from './folder/disk-folders.js';

/** The sandbox that this machine has. It is tested once per file. */
export const sandbox = new Sandbox({ mode: 'auto' });

/** Creates a temporary folder that is removed when the test ends. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'commands-spec-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Runs commands that may use Node, a shell and `cat`, in the working folders below `root`. */
export function createCommandsBench(
  settings: Partial<CommandSettings> = {},
  root = makeTemporaryFolder(),
): RemoteToolBench {
  const path = [dirname(process.execPath)];
  const pack = createCommandsPack({ folders: new DiskFolders(root), sandbox });
  return new RemoteToolBench(pack, { commands: { allow: ['node', 'sh', 'cat'], path, ...settings } });
}
