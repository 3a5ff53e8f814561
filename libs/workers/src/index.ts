export { runPhaseWorker } from './run-phase-worker.js';
export { openModels } from './model-catalogue.js';
export { workerConfig } from './worker-config.js';
