import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeBackoffMs } from '@phaseline/basics';
import type { ProcessId } from '@phaseline/contracts';
import type { Pool, PoolClient } from 'pg';
import type { Letter, Transport } from './transport.js';

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const MAX_BYTES = 7_900;
const PAUSE = { firstMs: 50, maxMs: 2_000 };
const ALL = 'phaseline_processes';

const POST = {
  name: 'phaseline-post',
  text: 'SELECT pg_notify(l.channel, l.text) FROM unnest($1::text[], $2::text[]) AS l(channel, text)',
};

/**
 * Texts between processes as notifications of PostgreSQL, on connections of the pool of the queues. Its commits do not wait for the disk,
 * so neither do notifications.
 */
export class PostgresTransport implements Transport {
  readonly maxBytes = MAX_BYTES;
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;
  private client: PoolClient | undefined;

  constructor(private readonly pool: Pool) {}

  async listen(self: ProcessId, onText: (text: string) => void): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.running = this.run(self, onText, first.resolve);
    await first.promise;
  }

  async post(letters: readonly Letter[]): Promise<void> {
    await this.pool.query({
      ...POST,
      values: [letters.map(({ to }) => channelOf(to)), letters.map(({ text }) => text)],
    });
  }

  async close(): Promise<void> {
    this.stop.abort();
    if (this.client) this.release(this.client);
    await this.running;
  }

  private async run(self: ProcessId, onText: (text: string) => void, onFirst: () => void): Promise<void> {
    for (let failures = 0; !this.stop.signal.aborted;) {
      try {
        const { lost } = await this.connect(self, onText);
        onFirst();
        failures = 0;
        await lost;
      } catch {
        // The backend reports the outage. Until it is over, messages pass through the queues.
      }
      onFirst();
      failures += 1;
      await sleep(computeBackoffMs(PAUSE, failures), undefined, { signal: this.stop.signal }).catch(() => {});
    }
  }

  /** Connects and listens. `lost` resolves when the connection is lost. */
  private async connect(self: ProcessId, onText: (text: string) => void): Promise<{ readonly lost: Promise<void> }> {
    const client = await this.pool.connect();
    if (this.stop.signal.aborted) client.release();
    this.stop.signal.throwIfAborted();
    this.client = client;
    const lost = new Promise<void>((resolve) => {
      client.once('error', () => resolve());
      client.once('end', () => resolve());
    });
    client.on('notification', ({ payload }) => {
      if (payload !== undefined) onText(payload);
    });
    try {
      await client.query(`LISTEN ${channelOf(self)}; LISTEN ${ALL}`);
    } catch (error) {
      this.release(client);
      throw error;
    }
    return { lost: lost.then(() => this.release(client)) };
  }

  /** Gives the connection back, once: a connection that listens is of no use to others. */
  private release(client: PoolClient): void {
    if (this.client !== client) return;
    this.client = undefined;
    client.release(true);
  }
}

/** Names of channels are identifiers of at most 63 characters. */
function channelOf(to: ProcessId | undefined): string {
  if (to === undefined) return ALL;
  return `phaseline_process_${createHash('sha256').update(to).digest('hex').slice(0, 40)}`;
}
