export {
  DataDirectoryInUse,
  DataDirectoryUnusable,
  DiskFull,
  LocalStackError,
  PlatformUnsupported,
  PortInUse,
  ServerStartFailed,
} from './local-stack-error.js';
export { startPostgres } from './postgres/start-postgres.js';
export type { RunningPostgres } from './postgres/start-postgres.js';
export { provisionDatabase, provisionRoles } from './postgres/provision-roles.js';
export { findFreePort, isPortFree } from './process/find-free-port.js';
export { findRedisServer, startRedis } from './redis/start-redis.js';
export type { RedisOptions, RunningRedis } from './redis/start-redis.js';
export { HomeUnusable, openLocalHome } from './home/local-home.js';
export type { LocalHome, StackState } from './home/local-home.js';
export { superviseServices } from './supervisor/supervise-services.js';
export type { ServiceStatus, Supervision } from './supervisor/supervise-services.js';
export type { ServiceEvent, ServiceSpec } from './supervisor/service-spec.js';
export { ServiceFailed } from './supervisor/supervisor-errors.js';
