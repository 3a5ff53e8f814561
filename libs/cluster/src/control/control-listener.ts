import { setTimeout as sleep } from 'node:timers/promises';
import { computeBackoffMs } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import pg from 'pg';

export interface ControlListenerOptions {
  readonly onError?: (error: Error) => void;
  readonly applicationName?: string;
}

/** Called with the correlation id of a control event, or with undefined after a reconnect, when events may have been missed. */
export type ControlCallback = (correlationId: JobId | undefined) => void;

const CHANNEL = 'phaseline_control';
const PAUSE = { firstMs: 50, maxMs: 2_000 };
const CONNECT_TIMEOUT_MS = 5_000;
const PROBE_INTERVAL_MS = 15_000;

/**
 * Listens for control events (appends with `wake`) on its own connection, and reconnects when the connection breaks. Notifications
 * arrive less than a millisecond after the commit. They are only hints: NOTIFY does not reach a listener that is not connected at
 * that moment, so subscribers must poll as well.
 *
 * ```ts
 * const listener = new ControlListener(url);
 * listener.subscribe((correlationId) => wake(correlationId));
 * await listener.start();
 * ```
 */
export class ControlListener {
  private readonly callbacks = new Set<ControlCallback>();
  private readonly channels = new Map<string, (payload: string) => void>();
  private client: pg.Client | undefined;
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly url: string,
    private readonly options: ControlListenerOptions = {},
  ) {}

  /** Registers a callback. Returns a function that removes it. */
  subscribe(callback: ControlCallback): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  /**
   * Receives the messages of another channel on the same connection; at most one callback per channel. Returns a function that stops it.
   */
  subscribeToChannel(channel: `phaseline_${string}`, callback: (payload: string) => void): () => void {
    this.channels.set(channel, callback);
    // A connection that is made later listens to the channel from its beginning.
    void this.execute(`LISTEN ${channel}`);
    return () => {
      this.channels.delete(channel);
      void this.execute(`UNLISTEN ${channel}`);
    };
  }

  /** Starts listening. Resolves after the first attempt to connect; a failure is passed to `onError` and retried. */
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

  private async run(onFirstAttempt: () => void): Promise<void> {
    let failures = 0;
    let hasListened = false;
    while (!this.stop.signal.aborted) {
      try {
        await this.listen(() => {
          failures = 0;
          onFirstAttempt();
          if (hasListened) this.notify(undefined);
          hasListened = true;
        });
      } catch (error) {
        if (!this.stop.signal.aborted) this.options.onError?.(error as Error);
      }
      onFirstAttempt();
      failures += 1;
      await this.pause(computeBackoffMs(PAUSE, failures));
    }
  }

  /** Listens until `close` is called. Throws when the connection breaks. */
  private async listen(onListening: () => void): Promise<void> {
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
    client.on('end', () => broken.reject(new Error('the connection that listens for control events was closed')));
    client.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL && payload) this.notify(payload);
      else if (payload) this.channels.get(channel)?.(payload);
    });
    try {
      await client.connect();
      this.client = client;
      for (const channel of [CHANNEL, ...this.channels.keys()]) await client.query(`LISTEN ${channel}`);
      onListening();
      while (!this.stop.signal.aborted) {
        await Promise.race([this.pause(PROBE_INTERVAL_MS), broken.promise]);
        // A server that disappears without closing the connection is detected only by writing to it.
        if (!this.stop.signal.aborted) await Promise.race([client.query('SELECT 1'), broken.promise]);
      }
    } finally {
      this.client = undefined;
      await client.end().catch(() => undefined);
    }
  }

  /** Executes a statement on the open connection. If it fails, the connection is broken, and `listen` notices. */
  private async execute(statement: string): Promise<void> {
    await this.client?.query(statement).catch(() => undefined);
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stop.signal, ref: false }).catch(() => undefined);
  }

  private notify(correlationId: JobId | undefined): void {
    for (const callback of this.callbacks) callback(correlationId);
  }
}
