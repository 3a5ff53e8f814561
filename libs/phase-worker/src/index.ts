export { runPhaseWorker } from './run-phase-worker.js';
