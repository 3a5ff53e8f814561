import { join } from 'node:path';
import { migrate } from '@phaseline/event-store';
import { startPostgres, type RunningPostgres } from '@phaseline/local-stack';
import { migrateQueues } from '@phaseline/queue';

/** A PostgreSQL of the run's own that can be stopped and started again under the same address. */
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

  /** As the owner of the schema, past every proxy. */
  get ownerUrl(): string {
    return this.server.ownerUrl;
  }

  /** As the services log in, through a proxy on this port. */
  serviceUrl(port: number): string {
    const url = new URL(this.server.serviceUrl);
    url.port = String(port);
    return url.href;
  }

  /** `fast` rolls back what is under way; `immediate` is a crash, after which the server recovers from its log. */
  async stop(how: 'fast' | 'immediate'): Promise<void> {
    if (how === 'immediate') process.kill(this.server.pid, 'SIGQUIT');
    await (how === 'fast' ? this.server.stop() : this.server.ended);
  }

  async startAgain(): Promise<void> {
    this.server = await ChaosDatabase.launch(this.folder, this.server.port);
  }

  async close(): Promise<void> {
    await this.server.stop();
  }

  /** Durable, because a crash must not take what was committed. */
  private static launch(folder: string, port?: number): Promise<RunningPostgres> {
    return startPostgres({ dataDir: join(folder, 'postgres'), durable: true, port });
  }
}
