import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@phaseline/event-store';
import { startPostgres, type RunningPostgres } from '@phaseline/local-stack';
import pg from 'pg';
import type { ServerDatabase } from './cold-storage.fixture.js';

/** A durable PostgreSQL server of one spec that can be killed and started again on its data and its port. */
export class CrashingServer {
  private constructor(
    private readonly folder: string,
    private running: RunningPostgres,
    /** Only the first start of a data folder returns it. */
    private readonly superuserUrl: string,
  ) {}

  static async start(): Promise<CrashingServer> {
    const folder = await mkdtemp(join(tmpdir(), 'crashing-server-'));
    // If root starts PostgreSQL, it runs as another user, who must be able to traverse this folder.
    await chmod(folder, 0o711);
    const running = await CrashingServer.launch(folder);
    await migrate(running.ownerUrl);
    return new CrashingServer(folder, running, running.superuserUrl!);
  }

  /** The migrated database of the server. */
  get database(): ServerDatabase {
    const { ownerUrl, serviceUrl } = this.running;
    return { database: { ownerUrl, serviceUrl, drop: () => this.drop() }, superuserUrl: this.superuserUrl };
  }

  /** Kills every process of the server at once, as a loss of power does, and starts it again. */
  async crash(): Promise<void> {
    const { pid, port, ended } = this.running;
    // A stopped postmaster starts no process that the list would miss.
    process.kill(pid, 'SIGSTOP');
    for (const one of [pid, ...(await listChildren(pid))]) process.kill(one, 'SIGKILL');
    // Resolves when all of them have closed the log of the server.
    await ended;
    this.running = await CrashingServer.launch(this.folder, port);
  }

  async close(): Promise<void> {
    await this.running.stop();
    await rm(this.folder, { recursive: true });
  }

  private async drop(): Promise<void> {
    const client = new pg.Client({ connectionString: this.superuserUrl });
    await client.connect();
    try {
      const name = new URL(this.running.ownerUrl).pathname.slice(1);
      await client.query(`DROP DATABASE ${client.escapeIdentifier(name)} WITH (FORCE)`);
    } finally {
      await client.end();
    }
  }

  private static launch(folder: string, port?: number): Promise<RunningPostgres> {
    return startPostgres({ dataDir: join(folder, 'data'), durable: true, port });
  }
}

/** Returns the children of a process. Each process of PostgreSQL leads a session of its own, so they have no group in common. */
async function listChildren(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(readParent));
  return pids.filter((_, index) => parents[index] === parent);
}

async function readParent(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
