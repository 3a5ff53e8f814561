export { sleepUntilAborted } from './step/outage-watch.js';
export { PhaseRunner } from './step/phase-runner.js';
export type { PhaseRunnerParts, PhaseWork, RunOutcome } from './step/phase-runner.js';
export type { Clock, ConfiguredModel, HeldLeases, Leases, ModelCatalogue, Sender } from './ports.js';
export type { AttemptLimits } from './call/attempt-tool.js';
export { realTimers } from './timers.js';
export type { Timers } from './timers.js';
export { ToolRunner } from './call/tool-runner.js';
export type { CallRunOutcome, ToolRunnerParts, ToolWork } from './call/tool-runner.js';
