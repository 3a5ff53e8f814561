import { setTimeout as delay } from 'node:timers/promises';
import { DataDirectoryInUse } from '../local-stack-error.js';
import { isSameProcess } from '../process/process-identity.js';
import { findLivePostmaster } from './postmaster-pid.js';
import type { PostgresState } from './postgres-state.js';

/** Time to wait for a server to exit. One whose parent was killed takes up to a second. */
const EXIT_TIMEOUT_MS = 5_000;

/**
 * Waits until no server runs on the data directory. Fails immediately if the process that started the server is alive. Otherwise the server
 * is about to exit, or its watchdog was killed as well; then it is sent a signal.
 * @throws DataDirectoryInUse
 */
export async function waitForFreeDataDirectory({ dataDirectory, startedBy }: PostgresState): Promise<void> {
  let isSignalled = false;
  for (const deadline = performance.now() + EXIT_TIMEOUT_MS; ;) {
    const postmaster = await findLivePostmaster(dataDirectory);
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
        `a PostgreSQL server (process ${postmaster.pid}, port ${postmaster.port}) that was not started by Phaseline`,
      );
    }
    if (!isSignalled && startedBy !== undefined && performance.now() > deadline - EXIT_TIMEOUT_MS / 2) {
      isSignalled = true;
      process.kill(postmaster.pid, 'SIGINT');
    }
    await delay(50);
  }
}
