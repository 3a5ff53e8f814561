export { createTestDatabase } from './create-test-database.js';
export type { TestDatabase } from './create-test-database.js';
export { getTestRedisUrl } from './redis-url-for-tests.js';
export type { TestRedis, TestServer } from './test-server.js';
export { getTypescriptArguments } from './typescript-process.js';
export { createTestPool } from './test-pool.js';
export { startLocalServer, type LocalServer } from './local-server.js';
