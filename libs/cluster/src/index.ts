export { ControlListener } from './control/control-listener.js';
export { DeadLetters } from './dead-letters/dead-letters.js';
export type { StoredDeadLetter } from './dead-letters/dead-letters.js';
export { DatabaseClock } from './processes/database-clock.js';
export { DEAD_AFTER_MS, ProcessRegistry } from './processes/process-registry.js';
export type { ProcessLoad, ProcessReport } from './processes/process-registry.js';
export { Quarantine } from './quarantine/quarantine.js';
export type { QuarantineEntry } from './quarantine/quarantine.js';
