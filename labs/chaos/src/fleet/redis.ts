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
    const response = await this.execute('FLUSHALL');
    if (response !== '+OK') throw new Error(`unexpected response to FLUSHALL: ${response}`);
  }

  /** Cuts every connection that has a subscription, and returns their number. */
  async cutSubscriptions(): Promise<number> {
    const response = await this.execute('CLIENT KILL TYPE pubsub');
    if (!/^:\d+$/.test(response)) throw new Error(`unexpected response to CLIENT KILL: ${response}`);
    return Number(response.slice(1));
  }

  /** Executes one command and returns the line of its response. */
  private async execute(command: string): Promise<string> {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () =>
        socket.write(`AUTH ${this.password}\r\n${command}\r\nQUIT\r\n`),
      );
      let received = '';
      socket.on('data', (data) => (received += data.toString()));
      socket.once('error', reject);
      socket.once('close', () => resolve(received));
    });
    return text.split('\r\n')[1] ?? text;
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
