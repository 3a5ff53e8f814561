import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@phaseline/event-store';
import { startPostgres } from '@phaseline/local-stack';

/** Runs work on a PostgreSQL server of its own, with the rights of a service. */
export async function withDatabase<Result>(work: (serviceUrl: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-learning-'));
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
  try {
    await migrate(server.ownerUrl);
    return await work(server.serviceUrl);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
