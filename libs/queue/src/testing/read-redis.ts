import { Redis } from 'ioredis';

/** One key of a Redis database with all that it contains. */
export interface RedisEntry {
  readonly database: number;
  readonly key: Buffer;
  /** Values, members, fields or entries, in any order. */
  readonly values: readonly Buffer[];
}

/** How all of a key is read, by its type. */
const readers: Readonly<Record<string, (key: Buffer) => readonly [string, ...(Buffer | string)[]]>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** Reads every key of every database of a server. Throws Error for a key of a type that it does not know. */
export async function readRedis(url: string): Promise<readonly RedisEntry[]> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    const entries: RedisEntry[] = [];
    const [, count = '16'] = (await redis.config('GET', 'databases')) as string[];
    for (let database = 0; database < Number(count); database += 1) {
      await redis.select(database);
      for (const key of await redis.keysBuffer('*')) {
        const type = await redis.type(key);
        const read = readers[type];
        if (!read) {
          // BullMQ may have removed it.
          if (type === 'none') continue;
          throw new Error(`${key.toString()} has the type ${type}, which is not known here`);
        }
        const [command, ...args] = read(key);
        entries.push({ database, key, values: flatten(await redis.callBuffer(command, ...args)) });
      }
    }
    return entries;
  } finally {
    redis.disconnect();
  }
}

function flatten(reply: unknown): readonly Buffer[] {
  if (Array.isArray(reply)) return reply.flatMap(flatten);
  return Buffer.isBuffer(reply) ? [reply] : [];
}

/** Collects every command that any client sends to a server, so that also what is removed soon is seen. */
export async function watchRedis(
  url: string,
): Promise<{ readonly commands: readonly (readonly string[])[]; stop(): void }> {
  const redis = new Redis(url);
  const monitor = await redis.monitor();
  const commands: string[][] = [];
  monitor.on('monitor', (_time: string, args: string[]) => void commands.push(args));
  return {
    commands,
    stop: () => {
      monitor.disconnect();
      redis.disconnect();
    },
  };
}

/** Sends commands to one database of a server, one after another. */
export async function sendToRedis(
  url: string,
  database: number,
  commands: readonly (readonly [string, ...string[]])[],
): Promise<void> {
  const redis = new Redis(url, { db: database, maxRetriesPerRequest: 1 });
  try {
    for (const [command, ...args] of commands) await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}
