import type { LiveEvent } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';

/** What a tab sends to the hub. */
export type TabMessage =
  | { readonly kind: 'watch'; readonly jobIds: readonly JobId[] }
  /** Sent from time to time, because a tab that crashed cannot say goodbye. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'bye' };

/** What the hub sends to a tab. */
export type HubMessage =
  | { readonly kind: 'event'; readonly event: LiveEvent }
  /** `ended`: the server refused the connection, such as after the end of the session. */
  | { readonly kind: 'status'; readonly status: 'connecting' | 'live' | 'ended' };

export interface Tab {
  readonly send: (message: HubMessage) => void;
}

/** Opens a connection to the server; see PhaselineClient.live. */
export type OpenLive = (options: {
  readonly watch: readonly JobId[];
  readonly signal: AbortSignal;
}) => AsyncIterable<LiveEvent>;

/** A tab that was not heard for this time is forgotten. Browsers let a hidden tab run its timers once per minute. */
export const SILENT_TAB_MS = 150_000;

interface TabState {
  watched: readonly JobId[];
  heardAt: number;
}

/**
 * Shares one connection between the tabs of a browser, because a browser opens at most six connections to a server. It is open while there
 * is a tab, and opened again when the jobs change whose answers the tabs watch.
 */
export class LiveHub {
  private readonly tabs = new Map<Tab, TabState>();
  private connection: { readonly watch: readonly JobId[]; readonly stop: AbortController } | undefined;
  private status: (HubMessage & { readonly kind: 'status' })['status'] = 'connecting';

  constructor(
    private readonly open: OpenLive,
    private readonly now: () => number,
  ) {}

  /** Number of tabs that are connected. */
  get size(): number {
    return this.tabs.size;
  }

  /** Handles a message of a tab. The first one adds the tab. */
  receive(tab: Tab, message: TabMessage): void {
    if (message.kind === 'bye') this.tabs.delete(tab);
    else {
      const known = this.tabs.get(tab);
      const watched = message.kind === 'watch' ? message.jobIds : (known?.watched ?? []);
      this.tabs.set(tab, { watched, heardAt: this.now() });
      if (!known) tab.send({ kind: 'status', status: this.status });
    }
    this.update();
  }

  /** Forgets tabs that have been silent for too long. Call it from time to time. */
  expire(): void {
    for (const [tab, { heardAt }] of this.tabs) if (this.now() - heardAt > SILENT_TAB_MS) this.tabs.delete(tab);
    this.update();
  }

  private update(): void {
    const watch = [...new Set([...this.tabs.values()].flatMap(({ watched }) => watched))].sort();
    const isSame = this.connection !== undefined && this.connection.watch.join() === watch.join();
    if (this.tabs.size > 0 && isSame) return;
    const isReplaced = this.connection !== undefined;
    this.connection?.stop.abort();
    this.connection = undefined;
    if (this.tabs.size > 0) void this.run(watch, isReplaced);
  }

  private async run(watch: readonly JobId[], isReplaced: boolean): Promise<void> {
    const stop = new AbortController();
    const connection = { watch, stop };
    this.connection = connection;
    try {
      let isFirst = true;
      for await (const event of this.open({ watch, signal: stop.signal })) {
        if (stop.signal.aborted) return;
        if (event.type === 'hello') this.setStatus('live');
        this.broadcast({ kind: 'event', event });
        // Hints may have been missed between the connection that this one replaced and its first event.
        if (isFirst && isReplaced) this.broadcast({ kind: 'event', event: { type: 'resynchronise' } });
        isFirst = false;
      }
    } catch {
      if (stop.signal.aborted) return;
      this.setStatus('ended');
      // The next message of a tab tries again.
      if (this.connection === connection) this.connection = undefined;
    }
  }

  private setStatus(status: 'connecting' | 'live' | 'ended'): void {
    this.status = status;
    this.broadcast({ kind: 'status', status });
  }

  private broadcast(message: HubMessage): void {
    for (const tab of this.tabs.keys()) tab.send(message);
  }
}
