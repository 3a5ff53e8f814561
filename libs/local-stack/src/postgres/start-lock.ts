import { link, mkdir, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DataDirectoryInUse } from '../local-stack-error.js';
import { readState, writeState } from '../process/json-state-file.js';
import { isSameProcess, identifyThisProcess, type ProcessIdentity } from '../process/process-identity.js';

/**
 * Runs `start` while holding a lock on the data directory, so that only one process starts a server on it. Two processes that create it at
 * the same time would each store passwords that do not match the other's data. A lock whose owner has exited is ignored.
 * @throws DataDirectoryInUse
 */
export async function withStartLock<T>(dataDir: string, start: () => Promise<T>): Promise<T> {
  const lock = `${resolve(dataDir)}.lock`;
  const temporaryPath = `${lock}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  await mkdir(dirname(lock), { recursive: true });
  await writeState(temporaryPath, await identifyThisProcess());
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        // Creates the lock file atomically with its content, and only if none exists.
        await link(temporaryPath, lock);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 3) throw error;
        const owner = await readState<ProcessIdentity>(lock);
        if (owner?.pid !== undefined && (await isSameProcess(owner as ProcessIdentity))) {
          throw new DataDirectoryInUse(dataDir, owner.pid, `process ${owner.pid}, which is starting PostgreSQL`);
        }
        await rm(lock, { force: true });
      }
    }
  } finally {
    await rm(temporaryPath, { force: true });
  }
  try {
    return await start();
  } finally {
    await rm(lock, { force: true });
  }
}
