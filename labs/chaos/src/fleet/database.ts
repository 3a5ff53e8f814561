import { join } from 'node:path';
import { createPool, migrate } from '@phaseline/event-store';
import { startPostgres, type RunningPostgres } from '@phaseline/local-stack';
import { migrateQueues } from '@phaseline/queue';

/** A PostgreSQL server of this run that can be stopped and started again on the same port. */
export class ChaosDatabase {
  private constructor(
    private readonly folder: string,
    private server: RunningPostgres,
  ) {}

  static async start(folder: string): Promise<ChaosDatabase> {
    const server = await ChaosDatabase.launch(folder);
    await migrate(server.ownerUrl);
    await migrateQueues(server.ownerUrl);
    return new ChaosDatabase(folder, server);
  }

  get port(): number {
    return this.server.port;
  }

  /** Connection URL of the schema's owner, without a proxy. */
  get ownerUrl(): string {
    return this.server.ownerUrl;
  }

  /** Connection URL of the services, through the proxy on this port. */
  serviceUrl(port: number): string {
    const url = new URL(this.server.serviceUrl);
    url.port = String(port);
    return url.href;
  }

  /** Cuts every connection on which a process listens for messages that are handed over, and returns their number. */
  async cutListeners(): Promise<number> {
    // A login may end its own connections.
    const pool = createPool(this.server.serviceUrl, { max: 1 });
    try {
      const { rowCount } = await pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %; LISTEN phaseline_processes'",
      );
      return rowCount ?? 0;
    } finally {
      await pool.end();
    }
  }

  /** `fast` rolls back open transactions; `immediate` is a crash, after which the server recovers from its WAL. */
  async stop(how: 'fast' | 'immediate'): Promise<void> {
    if (how === 'immediate') process.kill(this.server.pid, 'SIGQUIT');
    await (how === 'fast' ? this.server.stop() : this.server.ended);
  }

  async restart(): Promise<void> {
    this.server = await ChaosDatabase.launch(this.folder, this.server.port);
  }

  async close(): Promise<void> {
    await this.server.stop();
  }

  /** Starts a durable server: a crash must not lose what was committed. */
  private static launch(folder: string, port?: number): Promise<RunningPostgres> {
    return startPostgres({ dataDir: join(folder, 'postgres'), durable: true, port });
  }
}
