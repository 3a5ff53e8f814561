import { inject } from 'vitest';
import './test-server.js';

/**
 * The Redis for this spec file, or undefined when there is none: then skip, by name.
 * On a Redis that the test run started itself each file has an empty database of its own. A server given by REDIS_URL is
 * used as it is: take key prefixes that nobody else has.
 */
export function redisUrlForTests(): string | undefined {
  const redis = inject('testRedis');
  if (redis === undefined || redis.databases === 0) return redis?.url;
  const worker = Number(process.env.VITEST_WORKER_ID);
  return `${redis.url}/${worker % redis.databases}`;
}
