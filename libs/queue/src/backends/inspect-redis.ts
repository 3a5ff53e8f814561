import { Redis } from 'ioredis';
import { QueueUnavailable } from '../queue-errors.js';

/** Settings and state of a Redis server that matter to an operator of the queues. */
export interface RedisReport {
  readonly version: string;
  /** `maxmemory_policy`. Any policy other than `noeviction` discards messages when memory is full. */
  readonly evictionPolicy: string;
  /** Memory limit in bytes; 0 for no limit. */
  readonly maxMemory: number;
  /** Used memory in bytes. */
  readonly usedMemory: number;
  readonly appendOnly: boolean;
  /** Whether it takes snapshots; undefined if `CONFIG GET` is not allowed. */
  readonly snapshots: boolean | undefined;
  /** Whether the last writes of the append-only file and of a snapshot succeeded. */
  readonly lastWriteOk: boolean;
  /** Replication role: `master` or `slave`. */
  readonly role: string;
}

const TIMEOUT_MS = 5_000;

/**
 * Reads the settings and state of a Redis server, without retries.
 * @throws QueueUnavailable
 */
export async function inspectRedis(url: string): Promise<RedisReport> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: Error | undefined;
  client.on('error', (error: Error) => (lost = error));
  try {
    await client.connect();
    const info = parseInfo(await client.info());
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

function parseInfo(info: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    info.split('\r\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}
