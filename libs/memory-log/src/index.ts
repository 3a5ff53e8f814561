export { ALL_CHECKS } from './log-checks.js';
export type { LogChecks } from './log-checks.js';
export { MemoryBlobs } from './memory-blobs.js';
export { MemoryLog } from './memory-log.js';
