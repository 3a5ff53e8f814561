import { completesWithin, computeBackoffMs } from '@phaseline/basics';
import { createRedisBackend, Queue, type BackendFactory, type IQueueBackend } from 'bullmq';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { QueueName, QueuedMessageId } from '@phaseline/contracts';
import { ContractWorker } from '../contract-worker.js';
import { RedisTransport } from '../hand-over/redis-transport.js';
import type { JsonBounds } from '../json-scan.js';
import { QueueUnavailable, TransactionsUnsupported } from '../queue-errors.js';
import type { QueuedMessage } from '../queued-message.js';
import { toConnectionLost } from './connection-lost.js';
import { ServerClock } from './server-clock.js';
import { withServerTime } from './with-server-time.js';
import {
  MISSING_AFTER_MS,
  queueDefaults,
  workerDefaults,
  type Processor,
  type QueueBackend,
  type QueueDepth,
  type WorkerTuning,
} from './queue-backend.js';

export interface RedisBackendConfig {
  readonly backend: 'redis';
  /** `redis://` or `rediss://`. */
  readonly url: string;
  /** Prefix of every key; producers in other services must use the same one. Default `{phaseline}`: the braces keep a queue on one node of a cluster. */
  readonly prefix?: string;
  /** Whether the URL is that of a Redis Cluster node. */
  readonly cluster?: boolean;
}

/** Interval at which the time of Redis is queried. Between queries it is extrapolated with this process's monotonic clock. */
const TIME_QUERY_INTERVAL_MS = 5_000;

/**
 * Records when a message was first found without a lock, or deletes the record if it has a lock. Returns the age of the record in
 * milliseconds, or -1. KEYS: the lock, the record.
 */
const markUnlockedScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('DEL', KEYS[2])
  return -1
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[2], now, 'NX', 'PX', 600000)
return now - redis.call('GET', KEYS[2])`;

export const DEFAULT_PREFIX = '{phaseline}';

/** BullMQ on Redis. Uses one connection for sending, one shared by the workers, and one per worker for blocking reads. */
export class RedisBackend implements QueueBackend {
  readonly kind = 'redis';
  readonly isTransactional = false;
  readonly hasCheapBulk = true;
  private readonly prefix: string;
  private readonly url: string;
  private readonly cluster: boolean;
  private readonly sender: Redis | Cluster;
  private readonly receiver: Redis | Cluster;
  private readonly queues = new Map<QueueName, Queue>();
  private readonly clock = new ServerClock();
  private readonly factory: BackendFactory<IQueueBackend>;
  private timeQueries: NodeJS.Timeout | undefined;

  constructor({ url, prefix = DEFAULT_PREFIX, cluster = false }: RedisBackendConfig, onError: (error: Error) => void) {
    this.prefix = prefix;
    this.url = url;
    this.cluster = cluster;
    // A send fails after about 2 s, so that its caller learns of the outage; a worker waits for the server.
    this.sender = connect(url, cluster, { maxRetriesPerRequest: 5, commandTimeout: 15_000 }, onError);
    this.receiver = connect(url, cluster, { maxRetriesPerRequest: null }, () => {});
    this.factory = (...args) => withServerTime(factory(...args), this.clock);
  }

  /** The time of the Redis server in epoch milliseconds. Times of sending and due times are taken from this clock. */
  now(): number {
    return this.clock.now();
  }

  async waitUntilReady(timeoutMs: number): Promise<void> {
    for (const deadline = performance.now() + timeoutMs; ;) {
      try {
        if (await completesWithin(deadline - performance.now(), this.queryTime())) return this.startTimeQueries();
        throw new Error(`no response within ${timeoutMs} ms`);
      } catch (error) {
        // Only connection errors are retried: a wrong password, for example, is a permanent error.
        if (!toConnectionLost(error) || performance.now() >= deadline)
          throw new QueueUnavailable('Redis', 'connecting', error);
      }
    }
  }

  createQueue(name: QueueName): Queue {
    const queue = new Queue(
      name,
      // The types of BullMQ describe clients more narrowly than those of ioredis.
      { ...queueDefaults, connection: this.sender as never, prefix: this.prefix },
      this.factory as never,
    );
    this.queues.set(name, queue);
    return queue;
  }

  createWorker(name: QueueName, processor: Processor, tuning: WorkerTuning, bounds: JsonBounds): ContractWorker {
    // The types of BullMQ describe clients more narrowly than those of ioredis.
    const connection = this.receiver as never;
    return new ContractWorker(
      name,
      processor,
      { ...workerDefaults, ...tuning, connection, prefix: this.prefix },
      this.factory,
      bounds,
    );
  }

  createTransport(): RedisTransport {
    const subscribe = (): Redis | Cluster => connect(this.url, this.cluster, { maxRetriesPerRequest: null }, () => {});
    return new RedisTransport(this.sender, subscribe, this.prefix);
  }

  /** Runs `send`. When a message is flushed to disk is determined by the server's `appendfsync` setting. */
  runDurably(send: () => Promise<void>): Promise<void> {
    return send();
  }

  runInTransaction(): Promise<void> {
    return Promise.reject(new TransactionsUnsupported());
  }

  async has(name: QueueName, messageId: QueuedMessageId): Promise<boolean> {
    const state = await this.getQueue(name).getJobState(messageId);
    if (state === 'active') {
      const unlockedAt = await this.sender.get(this.key(name, `${messageId}:unlocked`));
      return unlockedAt === null || this.clock.now() - Number(unlockedAt) < MISSING_AFTER_MS;
    }
    return state !== 'unknown' && state !== 'completed' && state !== 'failed';
  }

  async recoverStalled(names: readonly QueueName[]): Promise<number> {
    let recovered = 0;
    for (const name of names) {
      for (const id of await this.sender.lrange(this.key(name, 'active'), -1_000, -1)) {
        const keys = [this.key(name, `${id}:lock`), this.key(name, `${id}:unlocked`)];
        const unlockedForMs = Number(await this.sender.eval(markUnlockedScript, 2, ...keys));
        if (unlockedForMs < MISSING_AFTER_MS) continue;
        const job = await this.getQueue(name).getJob(id);
        // Token 0 bypasses the lock check. The message has had no lock for 30 s.
        await job?.moveToWait('0').then(
          () => (recovered += 1),
          () => undefined,
        );
        await this.sender.del(keys[1]!);
      }
    }
    return recovered;
  }

  async readDepths(names: readonly QueueName[]): Promise<Map<QueueName, QueueDepth>> {
    return new Map(await Promise.all(names.map(async (name) => [name, await this.depth(name)] as const)));
  }

  async countRecent(name: QueueName, withinMs: number): Promise<number> {
    const since = this.clock.now() - withinMs;
    const others = await Promise.all([
      this.sender.lrange(this.key(name, 'active'), 0, -1),
      this.sender.zrange(this.key(name, 'prioritized'), '0', String(MAX_PRIORITIZED_READ - 1)),
    ]);
    const dueTimes = await Promise.all(others.flat().map((id) => this.readDueTime(this.key(name, id))));
    return (
      (await this.countRecentWaiting(name, since)) + dueTimes.filter((due) => due !== undefined && due >= since).length
    );
  }

  /** The newest messages are at the head of the list, so a binary search finds how many are recent, however long the list is. */
  private async countRecentWaiting(name: QueueName, since: number): Promise<number> {
    let recent = 0;
    for (let end = await this.sender.llen(this.key(name, 'wait')); recent < end;) {
      const middle = Math.floor((recent + end) / 2);
      const id = await this.sender.lindex(this.key(name, 'wait'), middle);
      const due = id === null ? undefined : await this.readDueTime(this.key(name, id));
      if (due !== undefined && due >= since) recent = middle + 1;
      else end = middle;
    }
    return recent;
  }

  async listMessages(name: QueueName, limit: number): Promise<QueuedMessage[]> {
    const key = (type: string): string => this.key(name, type);
    const [wait, prioritized, active, delayed] = await Promise.all([
      // The oldest messages are at the end of the lists.
      this.sender.lrange(key('wait'), -limit, -1),
      this.sender.zrange(key('prioritized'), '0', String(limit - 1)),
      this.sender.lrange(key('active'), -limit, -1),
      this.sender.zrange(key('delayed'), '0', String(limit - 1)),
    ]);
    const ids = [
      ...[...wait.reverse(), ...prioritized].map((id) => ['waiting', id] as const),
      ...active.reverse().map((id) => ['active', id] as const),
      ...delayed.map((id) => ['delayed', id] as const),
    ];
    const found = await Promise.all(ids.map(([state, id]) => this.message(name, state, id, key(id))));
    return found.filter((message) => message !== undefined);
  }

  private async message(
    queue: QueueName,
    state: QueuedMessage['state'],
    messageId: QueuedMessageId,
    key: string,
  ): Promise<QueuedMessage | undefined> {
    const [data, timestamp] = await this.sender.hmget(key, 'data', 'timestamp');
    // The message has ended in the meantime, or the entry is BullMQ's marker.
    if (data === null || data === undefined || !timestamp) return undefined;
    const dueAt = (await this.readDueTime(key)) ?? Number(timestamp);
    const dueForMs = this.clock.now() - dueAt;
    return { queue, messageId, state, payload: parseJsonOrText(data), sentAt: Number(timestamp), dueAt, dueForMs };
  }

  async close(): Promise<void> {
    clearInterval(this.timeQueries);
    this.sender.disconnect();
    this.receiver.disconnect();
  }

  private key(name: QueueName, type: string): string {
    return `${this.prefix}:${name}:${type}`;
  }

  private getQueue(name: QueueName): Queue {
    return this.queues.get(name) ?? this.createQueue(name);
  }

  private async queryTime(): Promise<void> {
    const sentAt = performance.now();
    const [seconds, micros] = await this.sender.time();
    this.clock.observe(Number(seconds) * 1_000 + Number(micros) / 1_000, sentAt, performance.now());
  }

  private startTimeQueries(): void {
    this.timeQueries ??= setInterval(
      () => void this.queryTime().catch(() => undefined),
      TIME_QUERY_INTERVAL_MS,
    ).unref();
  }

  private async depth(name: QueueName): Promise<QueueDepth> {
    const queue = this.getQueue(name);
    const [counts, oldest] = await Promise.all([
      queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed'),
      this.findOldestDueTime(name),
    ]);
    const { wait = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
    return {
      waiting: wait + prioritized,
      active,
      delayed,
      failed,
      oldestAgeMs: oldest === undefined ? undefined : Math.max(0, this.clock.now() - oldest),
    };
  }

  /** Earliest due time of the waiting messages: compares the last entry of the list and the first of each priority in use. */
  private async findOldestDueTime(name: QueueName): Promise<number | undefined> {
    const key = (type: string): string => this.key(name, type);
    const ids = await this.sender.lrange(key('wait'), -1, -1);
    // A score is the priority times 2^32 plus a sequence number, so one query finds the next priority in use.
    for (let from = 0, seen = 0; seen < MAX_PRIORITIES_READ; seen++) {
      const [id, score] = await this.sender.zrangebyscore(
        key('prioritized'),
        from,
        '+inf',
        'WITHSCORES',
        'LIMIT',
        0,
        1,
      );
      if (id === undefined || score === undefined) break;
      ids.push(id);
      from = (Math.floor(Number(score) / 2 ** 32) + 1) * 2 ** 32;
    }
    const dueTimes = await Promise.all(ids.map((id) => this.readDueTime(key(id))));
    const known = dueTimes.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  private async readDueTime(key: string): Promise<number | undefined> {
    const [timestamp, opts] = await this.sender.hmget(key, 'timestamp', 'opts');
    if (!timestamp) return undefined;
    const delay: unknown = opts ? (JSON.parse(opts) as { delay?: unknown }).delay : undefined;
    return Number(timestamp) + (typeof delay === 'number' ? delay : 0);
  }
}

function parseJsonOrText(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

/** Maximum number of messages with a priority that are read to count the recent ones. */
const MAX_PRIORITIZED_READ = 1_000;

/** Maximum number of priorities that are read to find the oldest message. */
const MAX_PRIORITIES_READ = 32;

// BullMQ types its factories by the concrete backend.
const factory = createRedisBackend as unknown as BackendFactory<IQueueBackend>;

function connect(
  url: string,
  cluster: boolean,
  options: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'>,
  onError: (error: Error) => void,
): Redis | Cluster {
  const retryStrategy = (times: number): number => computeBackoffMs({ firstMs: 100, maxMs: 1_000 }, times);
  const client = cluster
    ? new Cluster([url], { redisOptions: options, clusterRetryStrategy: retryStrategy })
    : new Redis(url, { ...options, retryStrategy, connectTimeout: 5_000 });
  // Every failed attempt to connect emits an event; an outage is reported once.
  let isUnavailable = false;
  client.on('error', (error: Error) => {
    if (!isUnavailable) onError(new QueueUnavailable('Redis', 'working', error));
    isUnavailable = true;
  });
  client.on('ready', () => (isUnavailable = false));
  return client;
}
