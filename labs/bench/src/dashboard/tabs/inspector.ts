/** A connection to the inspector of a Node process that was started with `--inspect`. */
export class Inspector implements Disposable {
  private lastId = 0;
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown };
      if (id !== undefined) this.waiting.get(id)?.resolve(result);
    });
    socket.addEventListener('close', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('the inspected process ended'));
    });
  }

  /** Connects to the process whose inspector listens on a port of this machine. */
  static async open(port: number): Promise<Inspector> {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [target] = (await response.json()) as readonly { readonly webSocketDebuggerUrl: string }[];
    if (!target) throw new Error(`no process can be inspected on port ${port}`);
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    return new Inspector(socket);
  }

  /** Reads the JavaScript heap of the process in MB, after a garbage collection. */
  async readHeap(): Promise<number> {
    await this.send('HeapProfiler.collectGarbage');
    const { usedSize } = (await this.send('Runtime.getHeapUsage')) as { readonly usedSize: number };
    return usedSize / 1_000_000;
  }

  [Symbol.dispose](): void {
    this.socket.close();
  }

  private async send(method: string): Promise<unknown> {
    const id = (this.lastId += 1);
    const answer = Promise.withResolvers<unknown>();
    this.waiting.set(id, answer);
    this.socket.send(JSON.stringify({ id, method }));
    return answer.promise.finally(() => this.waiting.delete(id));
  }
}
