export { decidePureGuards } from './decide-pure-guards.js';
export { type GuardOutcome } from './decide-in-rounds.js';
export { isRecorded } from './merge-decisions.js';
export { findOverride } from './decide-pure-guards.js';
export { readCommandDecision } from './command-decision.js';
export { listGuardsAt } from './compile-guards.js';
export type { GuardDecision, GuardEvent } from './guard-input.js';
