import { link, mkdir, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DataDirectoryInUse } from '../local-stack-error.js';
import { readState, writeState } from '../process/json-state-file.js';
import { isSameProcess, thisProcess, type ProcessIdentity } from '../process/process-identity.js';

/**
 * Runs `start` while no other process starts a server on the same data directory: two that make it at once would each write
 * passwords that the other one's data do not know. A lock whose holder is gone does not count.
 * @throws DataDirectoryInUse
 */
export async function withStartLock<T>(dataDir: string, start: () => Promise<T>): Promise<T> {
  const lock = `${resolve(dataDir)}.lock`;
  const draft = `${lock}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  await mkdir(dirname(lock), { recursive: true });
  await writeState(draft, await thisProcess());
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        // Appears with its content or not at all, and only if there is none.
        await link(draft, lock);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 3) throw error;
        const holder = await readState<ProcessIdentity>(lock);
        if (holder?.pid !== undefined && (await isSameProcess(holder as ProcessIdentity))) {
          throw new DataDirectoryInUse(dataDir, holder.pid, `process ${holder.pid}, which is starting PostgreSQL`);
        }
        await rm(lock, { force: true });
      }
    }
  } finally {
    await rm(draft, { force: true });
  }
  try {
    return await start();
  } finally {
    await rm(lock, { force: true });
  }
}
