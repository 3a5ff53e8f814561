export type { AttemptLimits } from './attempt-tool.js';
export { MIRRORED_TYPES, mirrorEvents, mirrorFile, type MirrorParts } from './mirror-tail.js';
export { realTimers } from './timers.js';
export type { Timers } from './timers.js';
export { ToolRunner } from './tool-runner.js';
export type { Holdings, Leases, Sender, ToolOutcome, ToolRunnerParts, ToolWork } from './tool-runner.js';
