export { Histories, jobAppend, phaseAppend } from './histories.js';
export type { PhaseAppendOptions } from './histories.js';
export { eventIdFor, newEvent } from './new-event.js';
export type { EventOrigin } from './new-event.js';
