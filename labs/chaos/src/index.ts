export { findClaimLosses } from './judge/judge-claims.js';
export { buildShortFaultList } from './fault-list.js';
export type { QueueBackend } from './fleet/fleet.js';
export { runChaos } from './run-chaos.js';
