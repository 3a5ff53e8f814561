import type { ProcessId } from '@phaseline/contracts';
import type { Cluster, Redis } from 'ioredis';
import type { Letter, Transport } from './transport.js';

/** Redis publishes texts of any length; short ones delay nothing else. */
const MAX_BYTES = 64 * 1024;

/** Texts between processes over the publish/subscribe channels of Redis. */
export class RedisTransport implements Transport {
  readonly maxBytes = MAX_BYTES;
  private subscriber: Redis | Cluster | undefined;

  /** `sender` belongs to the caller; `connect` opens the connection on which this process listens. */
  constructor(
    private readonly sender: Redis | Cluster,
    private readonly connect: () => Redis | Cluster,
    private readonly prefix: string,
  ) {}

  async listen(self: ProcessId, onText: (text: string) => void): Promise<void> {
    const subscriber = this.connect();
    this.subscriber = subscriber;
    subscriber.on('message', (_channel: string, text: string) => onText(text));
    // ioredis subscribes again after a lost connection.
    await subscriber.subscribe(this.channel(self), this.channel(undefined));
  }

  async post(letters: readonly Letter[]): Promise<void> {
    await Promise.all(letters.map(({ to, text }) => this.sender.publish(this.channel(to), text)));
  }

  async close(): Promise<void> {
    this.subscriber?.disconnect();
  }

  private channel(to: ProcessId | undefined): string {
    return to === undefined ? `${this.prefix}:processes` : `${this.prefix}:process:${to}`;
  }
}
