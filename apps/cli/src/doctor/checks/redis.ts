import { inspectRedis } from '@phaseline/queue';
import { fail, ok, warn, type Check, type Finding } from '../check.js';
import { reasonOf } from '../patient.js';

/** The Redis that holds the queues: version, what it does when its memory ends, and whether messages outlive a restart. */
export const redis: Check = {
  name: 'redis',
  run: async ({ queue, limits }) => {
    if (queue.backend !== 'redis') return ok('not used: PostgreSQL holds the queues');
    if (queue.redisUrl === undefined) return fail('QUEUE_BACKEND is redis and REDIS_URL is not set', 'set REDIS_URL');
    const host = new URL(queue.redisUrl).host;
    let report: Awaited<ReturnType<typeof inspectRedis>>;
    try {
      report = await inspectRedis(queue.redisUrl);
    } catch (error) {
      return fail(`Redis at ${host}: ${reasonOf(error)}`, 'start Redis, or correct REDIS_URL');
    }
    const findings: Finding[] = [];
    const [major = 0, minor = 0] = report.version.split('.').map(Number);
    if (major < limits.redis[0] || (major === limits.redis[0] && minor < limits.redis[1]))
      findings.push(
        fail(`Redis ${report.version} at ${host} is too old`, `upgrade it to ${limits.redis.join('.')} or newer`),
      );
    if (report.role !== 'master')
      findings.push(fail(`Redis at ${host} is a ${report.role} and takes no writes`, 'point REDIS_URL to the primary'));
    if (report.evictionPolicy !== 'noeviction')
      findings.push(
        fail(
          `Redis at ${host} throws keys away when its memory ends (maxmemory-policy ${report.evictionPolicy}): messages would be lost and queues broken`,
          'redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf',
        ),
      );
    if (!report.appendOnly && report.snapshots === false)
      findings.push(
        warn(
          `Redis at ${host} keeps nothing over a restart: submissions on the queue \`jobs\` would be lost (what is in the log is not)`,
          'redis-cli CONFIG SET appendonly yes, and the same in redis.conf',
        ),
      );
    if (!report.lastWriteOk)
      findings.push(fail(`Redis at ${host} could not write its files the last time`, 'look at its log and its disk'));
    if (report.maxMemory > 0 && report.usedMemory > report.maxMemory * 0.9)
      findings.push(
        warn(
          `Redis at ${host} uses ${Math.round((100 * report.usedMemory) / report.maxMemory)} % of its memory`,
          'give it more memory (maxmemory)',
        ),
      );
    return findings.length > 0 ? findings : ok(`Redis ${report.version} at ${host}, ${report.evictionPolicy}`);
  },
};
