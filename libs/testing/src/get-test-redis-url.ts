import { inject } from 'vitest';
import './test-server.js';

/**
 * Returns the URL of the Redis server for this spec file, or undefined if there is none; skip the specs then. On a server that the test
 * run started, each worker has its own database. A server given by REDIS_URL may be shared: use unique key prefixes.
 */
export function getTestRedisUrl(): string | undefined {
  const redis = inject('testRedis');
  if (redis === undefined || redis.databases === 0) return redis?.url;
  const worker = Number(process.env.VITEST_WORKER_ID);
  return `${redis.url}/${worker % redis.databases}`;
}
