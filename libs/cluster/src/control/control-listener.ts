import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface ControlListenerOptions {
  readonly onError?: (error: Error) => void;
  readonly applicationName?: string;
}

/** Called with the correlation id of a control event, or with undefined after a break in which any number may have been missed. */
export type ControlCallback = (correlationId: string | undefined) => void;

const CHANNEL = 'phaseline_control';
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
const PROBE_MS = 15_000;

/**
 * Hears of control events (appends with `wake`) some tenths of a millisecond after their commit, on a connection of its
 * own that is made again when it breaks. A hint and no more: NOTIFY reaches nobody who is not connected at that moment,
 * so whoever listens must also poll.
 *
 * ```ts
 * const listener = new ControlListener(url);
 * listener.subscribe((correlationId) => wake(correlationId));
 * await listener.start();
 * ```
 */
export class ControlListener {
  private readonly callbacks = new Set<ControlCallback>();
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly url: string,
    private readonly options: ControlListenerOptions = {},
  ) {}

  /** Returns a function that ends the subscription. */
  subscribe(callback: ControlCallback): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  /** Resolves when it listens for the first time, or with the first failure told to `onError` and more tries to follow. */
  async start(): Promise<void> {
    if (this.running) return;
    const first = Promise.withResolvers<void>();
    this.running = this.run(first.resolve);
    await first.promise;
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.running;
    this.callbacks.clear();
  }

  private async run(tried: () => void): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    let listened = false;
    while (!this.stop.signal.aborted) {
      try {
        await this.listen(() => {
          pause = FIRST_PAUSE_MS;
          tried();
          if (listened) this.tell(undefined);
          listened = true;
        });
      } catch (error) {
        if (!this.stop.signal.aborted) this.options.onError?.(error as Error);
      }
      tried();
      await this.pause(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Ends when `close` was called; throws when the connection breaks. */
  private async listen(listening: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: this.options.applicationName ?? 'phaseline-listener',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    });
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined);
    client.on('error', broken.reject);
    client.on('end', () => broken.reject(new Error('the connection that listens for control events was ended')));
    client.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL && payload) this.tell(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      listening();
      while (!this.stop.signal.aborted) {
        await Promise.race([this.pause(PROBE_MS), broken.promise]);
        // A peer that is gone without a word is noticed only by writing to it.
        if (!this.stop.signal.aborted) await Promise.race([client.query('SELECT 1'), broken.promise]);
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stop.signal, ref: false }).catch(() => undefined);
  }

  private tell(correlationId: string | undefined): void {
    for (const callback of this.callbacks) callback(correlationId);
  }
}
