export { createTestDatabase } from './create-test-database.js';
export type { TestDatabase } from './create-test-database.js';
export { redisUrlForTests } from './redis-url-for-tests.js';
export type { TestRedis, TestServer } from './test-server.js';
export { typescriptProcess } from './typescript-process.js';
export { testPool } from './test-pool.js';
export { serve, type LocalServer } from './local-server.js';
