export { bootstrapService } from './bootstrap-service.js';
export { parseConfig } from './config/parse-config.js';
export { flag, list, milliseconds, urlOf, wholeNumber } from './config/fields.js';
export { embeddingFields, toEmbeddingSettings } from './config/embedding-fields.js';
export { sandboxFields, toSandboxSettings } from './config/sandbox-fields.js';
export { serviceConfig } from './config/service-config.js';
export type { ServiceIdentity } from './health/health-routes.js';
export { formatDuration } from './health/format-duration.js';
export { Progress } from './health/progress.js';
export { Readiness } from './health/readiness.js';
export type { CatchUpProgress } from './health/readiness.js';
export { findLocalCaller } from './http/local-caller.js';
export { probeRequirements } from './health/health-routes.js';
export { isReservedActor } from './http/api-keys.js';
export {
  authenticateAgain,
  findConfiguredCaller,
  findSignedInCaller,
  getCaller,
  isLocalUser,
} from './http/request-guard.js';
export { AddressLimit } from './http/address-limit.js';
export { isLoopback } from './http/loopback.js';
export { createLogger } from './log/create-logger.js';
export { rememberSecrets } from './log/secrets.js';
export { Metrics } from './metrics/metrics.js';
export { shareReads } from './metrics/share-reads.js';
export {
  InjectConfig,
  InjectIdentity,
  InjectLogger,
  InjectPool,
  InjectShutdownSignal,
  serviceTokens,
} from './service-tokens.js';
export { startService } from './start-service.js';
export type { ServiceDefinition } from './start-service.js';
export { exitCode, StartupError } from './startup-error.js';
export { readMasterKeys } from './resources/master-keys.js';
export type { BrowserSessions } from './http/browser-sessions.js';
