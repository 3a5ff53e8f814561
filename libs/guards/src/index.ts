export { askPureGuards, decidePureGuards, mayDecideAbout } from './decide-pure-guards.js';
export { listGuardsAt, mayDecide, scopeOrder } from './compile-guards.js';
export { endFirstRound, endSecondRound, type GuardOutcome } from './decide-in-rounds.js';
export { hasEffect, isRecorded, mergeDecisions, type MergedDecision } from './merge-decisions.js';
export { readCommandDecisions } from './read-command-decisions.js';
export type { GuardDecision, GuardEvent } from './guard-input.js';
export { normalisePathArguments } from './normalise-paths.js';
export { restrictToPoint } from './restrict-to-point.js';
