export { createTestDatabase } from './create-test-database.js';
export type { TestDatabase } from './create-test-database.js';
export { getTestRedisUrl } from './get-test-redis-url.js';
export type { TestServer } from './test-server.js';
export { getTypescriptArguments } from './get-typescript-arguments.js';
export { recordInheritance, type InheritanceRecord } from './record-inheritance.js';
export { createTestPool } from './create-test-pool.js';
export { startLocalServer, type LocalServer } from './local-server.js';
