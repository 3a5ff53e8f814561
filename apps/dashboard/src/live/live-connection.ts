import type { LiveEvent } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { client } from '../api/client.js';
import { LiveHub, type HubMessage, type TabMessage } from './live-hub.js';

type Status = (HubMessage & { readonly kind: 'status' })['status'];

const ALIVE_INTERVAL_MS = 30_000;

/** The connection of this tab to the live channel: through the worker that all tabs share, or on its own where there are no such workers. */
export class LiveConnection {
  private readonly post: (message: TabMessage) => void;
  private readonly listeners = new Set<(event: LiveEvent) => void>();
  private readonly statusListeners = new Set<() => void>();
  /** Number of parts of the page that watch a job. */
  private readonly watched = new Map<JobId, number>();
  private current: Status = 'connecting';

  constructor() {
    this.post = typeof SharedWorker === 'undefined' ? this.connectAlone() : this.connectWorker();
    this.post({ kind: 'alive' });
    setInterval(() => this.post({ kind: 'alive' }), ALIVE_INTERVAL_MS);
    window.addEventListener('pagehide', () => this.post({ kind: 'bye' }));
    // The browser may show a page again that it had put aside.
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted) this.sendWatched();
    });
  }

  get status(): Status {
    return this.current;
  }

  /** Calls `listener` with each event. Returns a function that stops it. */
  subscribe(listener: (event: LiveEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  subscribeStatus(listener: () => void): () => void {
    this.statusListeners.add(listener);
    return () => this.statusListeners.delete(listener);
  }

  /** Receives the answers of a job while a model writes them, until the returned function is called. */
  watch(jobId: JobId): () => void {
    this.watched.set(jobId, (this.watched.get(jobId) ?? 0) + 1);
    this.sendWatched();
    return () => {
      const left = (this.watched.get(jobId) ?? 1) - 1;
      if (left === 0) this.watched.delete(jobId);
      else this.watched.set(jobId, left);
      this.sendWatched();
    };
  }

  private sendWatched(): void {
    this.post({ kind: 'watch', jobIds: [...this.watched.keys()] });
  }

  private connectWorker(): (message: TabMessage) => void {
    const { port } = new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
      type: 'module',
      name: 'phaseline-live',
    });
    port.onmessage = ({ data }: MessageEvent<HubMessage>) => this.receive(data);
    return (message) => port.postMessage(message);
  }

  private connectAlone(): (message: TabMessage) => void {
    const hub = new LiveHub((options) => client.live(options), Date.now);
    const tab = { send: (message: HubMessage) => this.receive(message) };
    return (message) => hub.receive(tab, message);
  }

  private receive(message: HubMessage): void {
    if (message.kind === 'status') {
      this.current = message.status;
      for (const notify of this.statusListeners) notify();
    } else for (const listener of this.listeners) listener(message.event);
  }
}

let connection: LiveConnection | undefined;

/** Returns the connection of this tab, which lasts as long as the page. */
export function getLiveConnection(): LiveConnection {
  connection ??= new LiveConnection();
  return connection;
}
