import { inspectRedis } from '@phaseline/queue';
import { fail, ok, warn, type Check } from '../check.js';
import { describeError } from '../doctor-target.js';

/** Checks the Redis that holds the queues: version, role, eviction policy, persistence and memory. */
export const redis: Check = {
  name: 'redis',
  run: async function* ({ queue, limits }) {
    if (queue.backend !== 'redis') return ok('not used: PostgreSQL holds the queues');
    if (queue.redisUrl === undefined)
      return fail('PHASELINE_QUEUE_BACKEND is redis and REDIS_URL is not set', 'set REDIS_URL');
    const host = new URL(queue.redisUrl).host;
    let report: Awaited<ReturnType<typeof inspectRedis>>;
    try {
      report = await inspectRedis(queue.redisUrl);
    } catch (error) {
      return fail(`Redis at ${host}: ${describeError(error)}`, 'start Redis, or correct REDIS_URL');
    }
    const [major = 0, minor = 0] = report.version.split('.').map(Number);
    if (major < limits.redis[0] || (major === limits.redis[0] && minor < limits.redis[1]))
      yield fail(`Redis ${report.version} at ${host} is too old`, `upgrade it to ${limits.redis.join('.')} or newer`);
    if (report.role !== 'master')
      yield fail(`Redis at ${host} is a ${report.role} and accepts no writes`, 'point REDIS_URL to the primary');
    if (report.evictionPolicy !== 'noeviction')
      yield fail(
        `Redis at ${host} evicts keys when memory is full (maxmemory-policy ${report.evictionPolicy}), which would lose messages and break queues`,
        'redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf',
      );
    if (!report.appendOnly && report.snapshots === false)
      yield warn(
        `Redis at ${host} persists nothing: a restart would lose submissions on the queue \`jobs\` (but nothing that is in the log)`,
        'redis-cli CONFIG SET appendonly yes, and the same in redis.conf',
      );
    if (!report.lastWriteOk)
      yield fail(`Redis at ${host} failed to write its files the last time`, 'check its log and its disk');
    if (report.maxMemory > 0 && report.usedMemory > report.maxMemory * 0.9)
      yield warn(
        `Redis at ${host} uses ${Math.round((100 * report.usedMemory) / report.maxMemory)} % of its memory`,
        'give it more memory (maxmemory)',
      );
    return ok(`Redis ${report.version} at ${host}, ${report.evictionPolicy}`);
  },
};
