export { askPureGuards, decidePureGuards, findOverride } from './decide-pure-guards.js';
export { listGuardsAt, scopeOrder } from './compile-guards.js';
export { endFirstRound, endSecondRound, type GuardOutcome, type ParseAmended } from './decide-in-rounds.js';
export { hasEffect, isRecorded, mergeDecisions, type Amendment, type MergedDecision } from './merge-decisions.js';
export { readCommandDecision } from './command-decision.js';
export { readCommandDecisions } from './read-command-decisions.js';
export type { GuardDecision, GuardEvent } from './guard-input.js';
export { restrictToPoint } from './restrict-to-point.js';
