import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@phaseline/event-store';
import { startPostgres, type RunningPostgres } from '@phaseline/local-stack';

/** Folder for the data of servers. Not the default temporary folder, which may be in memory. */
export const SERVER_FOLDER = process.env['TMPDIR'] ?? '/var/tmp';

/** Runs `act` on a new embedded PostgreSQL that flushes to disk, with the schema of the system. Removes the server and its data at the end. */
export async function withPostgres<Result>(act: (postgres: RunningPostgres) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(SERVER_FOLDER, 'phaseline-soak-'));
  // Started by root, the server runs as another user. If it cannot enter this folder, its data are elsewhere and would stay there.
  await chmod(folder, 0o711);
  try {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
    try {
      await migrate(postgres.ownerUrl);
      return await act(postgres);
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
