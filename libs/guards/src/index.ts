export { compileGuards, toGuardRef } from './compile-guards.js';
export {
  askPureGuards,
  buildFailed,
  decidePureGuards,
  findOverride,
  type PureGuardParts,
} from './decide-pure-guards.js';
export { decideInRounds, type GuardOutcome, type ParseAmended } from './decide-in-rounds.js';
export { mergeDecisions, type Amendment, type MergedDecision } from './merge-decisions.js';
export type { GuardDecision, GuardEvent, ReadTexts } from './guard-input.js';
