export { sleepAwake } from './outage-watch.js';
export { PhaseRunner } from './phase-runner.js';
export type { PhaseRunnerParts, PhaseWork, RunOutcome } from './phase-runner.js';
export type { Clock, ConfiguredModel, Holdings, Leases, ModelCatalogue, Sender } from './ports.js';
