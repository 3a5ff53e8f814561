export { buildPhaseStart, type StartChanges } from './testing/phase-start.js';
