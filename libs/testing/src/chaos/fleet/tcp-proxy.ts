import { connect, createServer, type Server, type Socket } from 'node:net';

/** What a proxy does with what comes through it. */
export type ProxyMode =
  | 'pass'
  /** Connections break, and new ones are refused. */
  | 'cut'
  /** Bytes of connections that are open vanish without a word, for ever; new ones are taken and go nowhere. */
  | 'swallow';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Nothing passes any more, also when the network is whole again. */
  dead: boolean;
}

/** A network between two processes that can be cut, slowed down and half-opened. */
export class TcpProxy {
  private mode: ProxyMode = 'pass';
  private delayMs = 0;
  private readonly pairs = new Set<Pair>();

  private constructor(
    private readonly listener: Server,
    /** Of 127.0.0.1. */
    readonly port: number,
    private readonly target: number,
  ) {}

  /** Listens on a free port of 127.0.0.1 and passes on to another port there. */
  static async start(target: number): Promise<TcpProxy> {
    const listener = createServer();
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(0, '127.0.0.1', resolve);
    });
    const proxy = new TcpProxy(listener, (listener.address() as { port: number }).port, target);
    listener.on('connection', (client) => proxy.take(client));
    return proxy;
  }

  /** From now on this happens; `pass` makes the network whole for connections to come. */
  set(mode: ProxyMode): void {
    this.mode = mode;
    for (const pair of this.pairs) {
      if (mode === 'cut') this.drop(pair);
      if (mode === 'swallow') pair.dead = true;
    }
  }

  /** Every piece of data takes so long, each way. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  async close(): Promise<void> {
    for (const pair of this.pairs) this.drop(pair);
    await new Promise<void>((resolve) => this.listener.close(() => resolve()));
  }

  private take(client: Socket): void {
    if (this.mode === 'cut') {
      client.on('error', () => undefined);
      client.destroy();
      return;
    }
    const server = connect(this.target, '127.0.0.1');
    const pair: Pair = { client, server, dead: this.mode === 'swallow' };
    this.pairs.add(pair);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('data', (data) => this.pass(pair, to, data));
      // Ends are not passed on while nothing is: a peer that is cut off never learns of them.
      from.on('close', () => !pair.dead && this.drop(pair));
    }
  }

  private pass(pair: Pair, to: Socket, data: Buffer): void {
    if (pair.dead) return;
    if (this.delayMs === 0) to.write(data);
    else setTimeout(() => !pair.dead && to.write(data), this.delayMs);
  }

  private drop(pair: Pair): void {
    this.pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
