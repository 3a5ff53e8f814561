export { runPhaseWorker } from './run-phase-worker.js';
export { workerConfig } from './worker-config.js';
export { createToolRunnerConfig } from './tool-runner-config.js';
export { runToolRunner } from './run-tool-runner.js';
export type { ExecutedPacks } from './run-tool-runner.js';
