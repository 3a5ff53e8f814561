export { runPhaseWorker } from './run-phase-worker.js';
export { openModels } from './model-catalogue.js';
export { workerConfig } from './worker-config.js';
export { createToolRunnerConfig } from './tool-runner-config.js';
export { runToolRunner } from './run-tool-runner.js';
export type { ExecutedPacks, ToolRunnerSetUp } from './run-tool-runner.js';
