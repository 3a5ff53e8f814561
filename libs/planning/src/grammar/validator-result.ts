import type { ValidationReport } from './validate-artifact.js';
import type { Fix, Violation } from './violation.js';

/** Data of a result of the tool GrammarValidator. */
export interface ValidatorResult {
  readonly valid: boolean;
  readonly violations: readonly Violation[];
  /** The validator score. */
  readonly confidence: number;
  readonly suggestedFixes: readonly SuggestedFix[];
}

/** A fix that was proven, with the violation that it removes. */
interface SuggestedFix extends Pick<Violation, 'code' | 'node' | 'field'> {
  readonly fix: Fix;
}

/** Returns a report as the data of a tool result. Each fix is also listed by itself, so that a policy can ask about it. */
export function toValidatorResult({ outcome, violations, score }: ValidationReport<unknown>): ValidatorResult {
  const suggestedFixes = violations.flatMap(({ code, node, field, remedy }): SuggestedFix[] =>
    remedy.kind === 'fix' ? [{ code, node, field, fix: remedy }] : [],
  );
  return { valid: outcome === 'valid', violations, confidence: score, suggestedFixes };
}
