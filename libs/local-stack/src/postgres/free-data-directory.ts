import { setTimeout as delay } from 'node:timers/promises';
import { DataDirectoryInUse } from '../local-stack-error.js';
import { isSameProcess } from '../process/process-identity.js';
import { livePostmaster } from './postmaster-pid.js';
import type { PostgresState } from './postgres-state.js';

/** A server whose starter was killed takes up to a second to notice and to end; this is that with room. */
const patienceMs = 5_000;

/**
 * Waits until no server runs on the data directory. One whose starter still lives is somebody's: refused at once. One
 * whose starter is gone is on its way down, or lost its watchdog as well: it is told to stop.
 * @throws DataDirectoryInUse
 */
export async function freeDataDirectory({ dataDirectory, startedBy }: PostgresState): Promise<void> {
  let told = false;
  for (const deadline = performance.now() + patienceMs; ;) {
    const postmaster = await livePostmaster(dataDirectory);
    if (postmaster === undefined) return;
    if (startedBy !== undefined && (await isSameProcess(startedBy))) {
      throw new DataDirectoryInUse(
        dataDirectory,
        postmaster.pid,
        `process ${startedBy.pid}, which runs PostgreSQL on port ${postmaster.port}`,
      );
    }
    if (performance.now() > deadline) {
      throw new DataDirectoryInUse(
        dataDirectory,
        postmaster.pid,
        `a PostgreSQL server (process ${postmaster.pid}, port ${postmaster.port}) that nobody here started`,
      );
    }
    if (!told && startedBy !== undefined && performance.now() > deadline - patienceMs / 2) {
      told = true;
      process.kill(postmaster.pid, 'SIGINT');
    }
    await delay(50);
  }
}
