export { buildPhaseStart, type StartChanges } from './testing/phase-start.js';
export { buildJobSubmitted, buildModelCallStarted } from './testing/example-events.js';
