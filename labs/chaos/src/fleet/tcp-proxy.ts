import { connect, createServer, type Server, type Socket } from 'node:net';

/** What a proxy does with connections and their data. */
export type ProxyMode =
  | 'pass'
  /** Closes connections and refuses new ones. */
  | 'cut'
  /** Silently discards the data of open connections, forever; accepts new connections and forwards nothing. */
  | 'swallow';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Whether nothing is forwarded from now on, even after the network recovers. */
  isDead: boolean;
}

/** A TCP proxy that can cut, slow down and half-open the network between two processes. */
export class TcpProxy {
  private mode: ProxyMode = 'pass';
  private delayMs = 0;
  private readonly pairs = new Set<Pair>();

  private constructor(
    private readonly listener: Server,
    /** Port on 127.0.0.1. */
    readonly port: number,
    private readonly target: number,
  ) {}

  /** Listens on a free port of 127.0.0.1 and forwards to another port there. */
  static async start(target: number): Promise<TcpProxy> {
    const listener = createServer();
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(0, '127.0.0.1', resolve);
    });
    const proxy = new TcpProxy(listener, (listener.address() as { port: number }).port, target);
    listener.on('connection', (client) => proxy.accept(client));
    return proxy;
  }

  /** Changes the mode. `pass` restores the network for new connections. */
  setMode(mode: ProxyMode): void {
    this.mode = mode;
    for (const pair of this.pairs) {
      if (mode === 'cut') this.drop(pair);
      if (mode === 'swallow') pair.isDead = true;
    }
  }

  /** Sets the delay of each chunk of data, per direction. */
  setDelay(delayMs: number): void {
    this.delayMs = delayMs;
  }

  async close(): Promise<void> {
    for (const pair of this.pairs) this.drop(pair);
    await new Promise<void>((resolve) => this.listener.close(() => resolve()));
  }

  private accept(client: Socket): void {
    if (this.mode === 'cut') {
      client.on('error', () => undefined);
      client.destroy();
      return;
    }
    const server = connect(this.target, '127.0.0.1');
    const pair: Pair = { client, server, isDead: this.mode === 'swallow' };
    this.pairs.add(pair);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('data', (data) => this.forward(pair, to, data));
      // While nothing is forwarded, closing is not forwarded either: a peer that is cut off never learns of it.
      from.on('close', () => !pair.isDead && this.drop(pair));
    }
  }

  private forward(pair: Pair, to: Socket, data: Buffer): void {
    if (pair.isDead) return;
    if (this.delayMs === 0) to.write(data);
    else setTimeout(() => !pair.isDead && to.write(data), this.delayMs);
  }

  private drop(pair: Pair): void {
    this.pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
