export { decidePureGuards } from './decide-pure-guards.js';
export { type GuardOutcome } from './decide-in-rounds.js';
export type { GuardDecision, GuardEvent } from './guard-input.js';
