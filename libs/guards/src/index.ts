export { compileGuards } from './compile-guards.js';
export { askPureGuards, buildFailed, decidePureGuards, findOverride } from './decide-pure-guards.js';
export { decideInRounds, type GuardOutcome } from './decide-in-rounds.js';
export { mergeDecisions } from './merge-decisions.js';
export type { GuardDecision, GuardEvent } from './guard-input.js';
