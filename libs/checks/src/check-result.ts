import type { EventRef } from './call-record.js';
import type { Check } from './check.js';

/** What a check read when it held, so that it can be repeated from the log. */
export interface CheckEvidence {
  readonly check: Check;
  /** Events that the check found. */
  readonly events: EventRef[];
  /** Files that the check read, each with its content at that time. */
  readonly files: { path: string; hash: string }[];
}

/** Why a check does not hold, for the model and for people. */
export interface CheckFailure {
  readonly check: Check;
  readonly expected: string;
  readonly found: string;
}

/** What a claim may have to wait for, in the order in which it waits. */
export const runKinds = ['verifier', 'guard', 'judge'] as const;
type RunKind = (typeof runKinds)[number];

/** The judge that decides about a passed verifier whose inputs were changed. */
export const DIFF_REVIEW = 'diff-review';

/** A run without which a check cannot be decided. */
export interface NeededRun {
  readonly kind: RunKind;
  readonly name: string;
  /** Set if the verifier is to run the cases of the feature instead of its own, and to compare them. It is another run than one of its own. */
  readonly proves?: true;
}

/** Names a run within its claim. */
export function getRunKey({ kind, name, proves }: NeededRun): string {
  return `${proves ? 'proof' : kind}:${name}`;
}

/** What a file lacks: what was expected, and what was found. */
export type Lack = readonly [expected: string, found: string];

export type CheckResult =
  | { readonly kind: 'holds'; readonly evidence: readonly CheckEvidence[] }
  | { readonly kind: 'fails'; readonly failures: readonly CheckFailure[] }
  | { readonly kind: 'open'; readonly runs: readonly NeededRun[] };

export function buildHolds(check: Check, found: Partial<Omit<CheckEvidence, 'check'>> = {}): CheckResult {
  return { kind: 'holds', evidence: [{ check, events: found.events ?? [], files: found.files ?? [] }] };
}

export function buildFails(check: Check, expected: string, found: string): CheckResult {
  return { kind: 'fails', failures: [{ check, expected, found }] };
}
