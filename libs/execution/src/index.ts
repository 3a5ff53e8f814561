export { consume, decideRedelivery } from './consume.js';
export type { RunOutcome } from './consume.js';
export { PhaseRunner } from './step/phase-runner.js';
export type { PhaseRunnerParts } from './step/phase-runner.js';
export type { ConfiguredModel, HeldLeases, ModelCatalogue } from './ports.js';
export type { Timers } from './timers.js';
export { ToolRunner } from './call/tool-runner.js';
export type { ToolRunnerParts } from './call/tool-runner-parts.js';
