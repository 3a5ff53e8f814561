import { assertNever } from '@phaseline/basics';
import type { Check } from './check.js';
import type { CheckInput, ClaimRunOutcome } from './check-input.js';
import {
  buildFails,
  buildHolds,
  DIFF_REVIEW,
  getRunKey,
  runKinds,
  type CheckResult,
  type NeededRun,
} from './check-result.js';
import { evaluateCallCheck } from './evaluate-call-check.js';
import { evaluateFileCheck } from './evaluate-file-check.js';
import { evaluateReadCheck } from './evaluate-read-check.js';

/**
 * Evaluates checks that must all hold. What can be decided from the log and the files is decided first: verifiers and judges are
 * asked for only when everything else holds.
 */
export function evaluateChecks(checks: readonly Check[], input: CheckInput): CheckResult {
  const result = combineAll(checks.map((check) => evaluateCheck(check, input)));
  return result.kind === 'open' ? { kind: 'open', runs: pickNextRuns(result.runs) } : result;
}

/** Verifiers are run first and judges, which cost most, only after everything else has passed. */
function pickNextRuns(runs: readonly NeededRun[]): readonly NeededRun[] {
  const kind = runKinds.find((one) => runs.some((run) => run.kind === one));
  return runs.filter((run) => run.kind === kind);
}

function evaluateCheck(check: Check, input: CheckInput): CheckResult {
  if ('file' in check) return evaluateFileCheck(check, input);
  if ('call' in check) return evaluateCallCheck(check, input);
  if ('read' in check) return evaluateReadCheck(check, input);
  if ('verifier' in check) return evaluateRun(check, { kind: 'verifier', name: check.verifier }, input);
  if ('proof' in check) return evaluateProof(check, input);
  if ('judge' in check) return evaluateRun(check, { kind: 'judge', name: check.judge }, input);
  if ('all' in check) return combineAll(check.all.map((inner) => evaluateCheck(inner, input)));
  if ('any' in check) return combineAny(check.any.map((inner) => evaluateCheck(inner, input)));
  if ('not' in check) return negate(check, evaluateCheck(check.not, input));
  return assertNever(check);
}

function evaluateRun(
  check: Check,
  needed: NeededRun & { readonly kind: 'verifier' | 'judge' },
  { runs }: CheckInput,
): CheckResult {
  const run = runs.get(getRunKey(needed));
  if (!run) return { kind: 'open', runs: [needed] };
  const changed = run.changedInputs ?? [];
  if (run.passed && changed.length > 0) return evaluateChangedInputs(check, { ...run, changedInputs: changed }, runs);
  if (run.passed) return buildHolds(check, { events: [run.event] });
  return buildFails(check, describeRun(needed.kind, needed.name), run.reason);
}

/** A run that passed proves a feature only if the same cases failed before: tests that passed already say nothing about the work. */
function evaluateProof(check: Check & { readonly proof: string }, input: CheckInput): CheckResult {
  const { proof: name } = check;
  if (!input.provable.includes(name)) return buildFails(check, describeProof(name), 'no case of it is named');
  const needed = { kind: 'verifier', name, proves: true } as const;
  const result = evaluateRun(check, needed, input);
  const run = input.runs.get(getRunKey(needed));
  if (!run?.passed) return result.kind === 'fails' ? buildFails(check, describeProof(name), run?.reason ?? '') : result;
  const { proved, reason } = run.proof ?? { proved: false, reason: 'its run proves no feature' };
  return proved ? result : buildFails(check, describeProof(name), reason);
}

/** Describes the proof that a check demands. */
export function describeProof(name: string): string {
  return `the verifier ${name} proves the feature`;
}

/** Describes the run that a check demands. */
export function describeRun(kind: 'verifier' | 'judge', name: string): string {
  return kind === 'verifier' ? `the verifier ${name} passes` : `${name} has no objection`;
}

/**
 * A verifier that passed with its inputs put back says nothing about the changed ones: a test that was weakened could hide what the claimed
 * files lack. So the judge has to agree to the change.
 */
function evaluateChangedInputs(
  check: Check,
  { event, changedInputs }: ClaimRunOutcome & { readonly changedInputs: readonly string[] },
  runs: CheckInput['runs'],
): CheckResult {
  const review = runs.get(`judge:${DIFF_REVIEW}`);
  if (!review) return { kind: 'open', runs: [{ kind: 'judge', name: DIFF_REVIEW }] };
  if (review.passed) return buildHolds(check, { events: [event, review.event] });
  const shown = changedInputs.slice(0, MAX_SHOWN_INPUTS).join(', ');
  const more = changedInputs.length > MAX_SHOWN_INPUTS ? ` and ${changedInputs.length - MAX_SHOWN_INPUTS} more` : '';
  return buildFails(check, `${DIFF_REVIEW} agrees to the changes of ${shown}${more}`, review.reason);
}

/** Maximum number of changed inputs that a failure names. */
const MAX_SHOWN_INPUTS = 5;

function combineAll(results: readonly CheckResult[]): CheckResult {
  const failures = results.flatMap((result) => (result.kind === 'fails' ? result.failures : []));
  if (failures.length > 0) return { kind: 'fails', failures };
  const runs = results.flatMap((result) => (result.kind === 'open' ? result.runs : []));
  if (runs.length > 0) return { kind: 'open', runs };
  return { kind: 'holds', evidence: results.flatMap((result) => (result.kind === 'holds' ? result.evidence : [])) };
}

function combineAny(results: readonly CheckResult[]): CheckResult {
  const held = results.find(({ kind }) => kind === 'holds');
  if (held) return held;
  const open = results.find(({ kind }) => kind === 'open');
  return open ?? { kind: 'fails', failures: results.flatMap((one) => (one.kind === 'fails' ? one.failures : [])) };
}

function negate(check: Check & { readonly not: Check }, result: CheckResult): CheckResult {
  if (result.kind === 'open') return result;
  if (result.kind === 'fails') return buildHolds(check);
  return buildFails(check, `not: ${JSON.stringify(check.not)}`, 'it holds');
}
