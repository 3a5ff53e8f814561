import { Redis } from 'ioredis';
import { QueueUnavailable } from '../queue-errors.js';

/** What an operator should know of the Redis that holds the queues. */
export interface RedisReport {
  readonly version: string;
  /** `noeviction` is the only one that does not throw messages away. */
  readonly evictionPolicy: string;
  /** Bytes; 0 for no limit. */
  readonly maxMemory: number;
  readonly usedMemory: number;
  readonly appendOnly: boolean;
  /** Whether it takes snapshots; undefined where it may not be asked. */
  readonly snapshots: boolean | undefined;
  /** The last write of the append-only file or of a snapshot succeeded. */
  readonly lastWriteOk: boolean;
  /** Whether it is being filled from its files and does not answer yet, or follows another one. */
  readonly role: string;
}

const PATIENCE_MS = 5_000;

/** Asks a Redis about itself, once. Throws QueueUnavailable. */
export async function inspectRedis(url: string): Promise<RedisReport> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: Error | undefined;
  client.on('error', (error: Error) => (lost = error));
  try {
    await client.connect();
    const info = fieldsOf(await client.info());
    const save = await client.config('GET', 'save').catch(() => undefined);
    return {
      version: info['redis_version'] ?? 'unknown',
      evictionPolicy: info['maxmemory_policy'] ?? 'unknown',
      maxMemory: Number(info['maxmemory'] ?? 0),
      usedMemory: Number(info['used_memory'] ?? 0),
      appendOnly: info['aof_enabled'] === '1',
      snapshots: Array.isArray(save) ? save[1] !== '' : undefined,
      lastWriteOk: info['rdb_last_bgsave_status'] !== 'err' && info['aof_last_write_status'] !== 'err',
      role: info['role'] ?? 'unknown',
    };
  } catch (error) {
    throw new QueueUnavailable('Redis', 'connecting', lost ?? error);
  } finally {
    client.disconnect();
  }
}

function fieldsOf(info: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    info.split('\r\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}
