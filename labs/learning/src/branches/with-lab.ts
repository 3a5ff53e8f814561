import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@phaseline/event-store';
import { startPostgres } from '@phaseline/local-stack';
import { openLab, type Lab } from './engine-branches.js';

/** Runs work on a log on a PostgreSQL server of its own. */
export async function withLab<Result>(work: (lab: Lab) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-learning-'));
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
  try {
    await migrate(server.ownerUrl);
    const lab = openLab(server.serviceUrl);
    try {
      return await work(lab);
    } finally {
      await lab.close();
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
