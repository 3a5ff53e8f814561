import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startRedis, type RunningRedis } from '@phaseline/local-stack';

/** A Redis server of this run that can be emptied, stopped and started again on the same port. */
export class ChaosRedis {
  private constructor(
    private readonly folder: string,
    private readonly password: string,
    private server: RunningRedis,
  ) {}

  /** Starts the server; `undefined` where no redis-server is installed. */
  static async start(folder: string): Promise<ChaosRedis | undefined> {
    const password = randomBytes(16).toString('hex');
    const server = await startRedis({ dataDir: join(folder, 'redis'), password });
    return server && new ChaosRedis(folder, password, server);
  }

  get port(): number {
    return this.server.port;
  }

  /** Connection URL of the services, through the proxy on this port. */
  url(port: number): string {
    return `redis://:${this.password}@127.0.0.1:${port}`;
  }

  /** Deletes every message. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () =>
        socket.write(`AUTH ${this.password}\r\nFLUSHALL\r\nQUIT\r\n`),
      );
      let answer = '';
      socket.on('data', (data) => (answer += data.toString()));
      socket.once('error', reject);
      socket.once('close', () =>
        answer.startsWith('+OK\r\n+OK') ? resolve() : reject(new Error(`unexpected response to FLUSHALL: ${answer}`)),
      );
    });
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  async restart(): Promise<void> {
    const { folder, password } = this;
    const server = await startRedis({ dataDir: join(folder, 'redis'), password, port: this.port });
    if (!server) throw new Error('redis-server is no longer installed');
    this.server = server;
  }
}
