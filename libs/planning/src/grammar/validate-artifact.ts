import { clip, createYielder, type JsonValue } from '@phaseline/basics';
import type { z } from 'zod';
import { applyPatch } from './json-patch.js';
import { computeValidatorScore, violationKinds, type ValidatedKind, type ViolationCode } from './violation-kinds.js';
import type { Finding, Fix, FixCandidate, Violation } from './violation.js';

/** Outcome of a validation, as the workflow names it. */
export type ValidationOutcome = 'valid' | 'invalid_retryable' | 'invalid_fatal';

export interface ValidationReport<Artifact> {
  /** The parsed artifact; `undefined` if it is malformed. */
  readonly artifact: Artifact | undefined;
  readonly outcome: ValidationOutcome;
  readonly violations: readonly Violation[];
  /** Validator score: 1 minus the weighted share of violated rules. */
  readonly score: number;
}

export interface ArtifactRules<Artifact> {
  readonly artifact: ValidatedKind;
  readonly schema: z.ZodType<Artifact>;
  readonly findViolations: (artifact: Artifact) => readonly Finding[];
  /** Ids of the tasks that a fix must not drop. */
  readonly listTasks: (artifact: Artifact) => readonly string[];
}

/**
 * Fixes per report, and attempts to prove them: each attempt validates the whole artifact, which takes 30 ms with a thousand nodes that are
 * all wrong. The other violations have instructions until the artifact is validated again.
 */
const MAX_FIXES = 10;
const MAX_PROOF_ATTEMPTS = 20;
/** Fixes that are applied in one repair. An artifact with more is drafted again. */
const MAX_APPLIED_FIXES = 20;
/** Violations in a report. The first ones keep a model busy, and an artifact with more is drafted again as a whole. */
const MAX_VIOLATIONS = 200;
/** Problems of a malformed artifact that are reported. */
const MAX_ISSUES = 20;
const MAX_MESSAGE_CHARACTERS = 2_000;

/** Validates an artifact by rules, and proves the fixes that are suggested. Deterministic. */
export function validateArtifact<Artifact>(
  value: unknown,
  rules: ArtifactRules<Artifact>,
  maxFixes = MAX_FIXES,
): ValidationReport<Artifact> {
  const parsed = rules.schema.safeParse(value);
  if (!parsed.success)
    return buildReport<Artifact>(undefined, rules.artifact, toMalformed(parsed.error, rules.artifact));
  const artifact = parsed.data;
  const findings = rules.findViolations(artifact);
  const before = countFindings(findings);
  let [attempts, fixes] = [0, 0];
  const violations = findings.slice(0, MAX_VIOLATIONS).map((finding) => {
    const candidates = fixes < maxFixes && attempts < MAX_PROOF_ATTEMPTS ? (finding.fixes ?? []) : [];
    const fix = candidates.find((candidate) => {
      attempts++;
      return isProven(artifact, finding, candidate, before, rules);
    });
    if (fix) fixes++;
    return toViolation(finding, rules.artifact, fix);
  });
  return buildReport(artifact, rules.artifact, violations, new Set(findings.map(({ code }) => code)));
}

function buildReport<Artifact>(
  artifact: Artifact | undefined,
  kind: ValidatedKind,
  violations: readonly Violation[],
  codes = new Set(violations.map(({ code }) => code)),
): ValidationReport<Artifact> {
  const isFatal = [...codes].some((code) => violationKinds[code].severity === 'fatal');
  const outcome = codes.size === 0 ? 'valid' : isFatal ? 'invalid_fatal' : 'invalid_retryable';
  // Nothing is known about an artifact that does not parse.
  return { artifact, outcome, violations, score: artifact === undefined ? 0 : computeValidatorScore(kind, codes) };
}

/** Whether a fix removes its violation, adds no other, and drops no task. */
function isProven<Artifact>(
  artifact: Artifact,
  finding: Finding,
  { operations }: FixCandidate,
  before: ReadonlyMap<string, number>,
  rules: ArtifactRules<Artifact>,
): boolean {
  const fixed = rules.schema.safeParse(applyPatch(artifact as JsonValue, operations));
  if (!fixed.success) return false;
  const after = countFindings(rules.findViolations(fixed.data));
  const key = getFindingKey(finding);
  if ((after.get(key) ?? 0) >= before.get(key)!) return false;
  if ([...after].some(([other, count]) => count > (before.get(other) ?? 0))) return false;
  const kept = new Set(rules.listTasks(fixed.data));
  return rules.listTasks(artifact).every((task) => kept.has(task));
}

function countFindings(findings: readonly Finding[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of findings.map(getFindingKey)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function getFindingKey({ code, node, field }: Pick<Finding, 'code' | 'node' | 'field'>): string {
  return `${code} ${node ?? ''} ${field}`;
}

function toViolation(finding: Finding, artifact: ValidatedKind, fix: FixCandidate | undefined): Violation {
  const { code, node, field, message, instruction } = finding;
  const remedy: Violation['remedy'] = fix
    ? { kind: 'fix', description: fix.description, operations: [...fix.operations] }
    : { kind: 'instruction', text: shorten(instruction) };
  const { severity } = violationKinds[code];
  return { code, artifact, node, field, severity, message: shorten(message), remedy };
}

function shorten(text: string): string {
  return clip(text, MAX_MESSAGE_CHARACTERS - 1);
}

function toMalformed(error: z.ZodError, artifact: ValidatedKind): readonly Violation[] {
  const code: ViolationCode = 'artifact_malformed';
  return error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const field = path.join('.').slice(0, 200) || artifact;
    return toViolation(
      { code, node: null, field, message: `${field}: ${message}.`, instruction: `Correct ${field}: ${message}.` },
      artifact,
      undefined,
    );
  });
}

/**
 * Applies a suggested fix and returns the new artifact. Throws if the fix was made for another artifact and its paths do not exist in this
 * one.
 */
export function applyFix<Artifact extends object>(artifact: Artifact, fix: Fix): Artifact {
  return applyPatch(artifact as JsonValue, fix.operations) as Artifact;
}

/**
 * Applies suggested fixes, at most 20, until none is left: after each one the artifact is validated again, because paths move. `validate`
 * is one of the validators, which proves no more than `maxFixes`. Returns the last report and the violations that were fixed, in order. Yields to
 * the event loop between the fixes, because with a thousand nodes all of them take seconds.
 */
export async function applySuggestedFixes<Artifact extends object>(
  value: unknown,
  validate: (value: unknown, maxFixes?: number) => ValidationReport<Artifact>,
): Promise<{ readonly report: ValidationReport<Artifact>; readonly applied: readonly Violation[] }> {
  const applied: Violation[] = [];
  const yieldWhenDue = createYielder();
  let fixed = value;
  while (applied.length < MAX_APPLIED_FIXES) {
    const { artifact, violations } = validate(fixed, 1);
    const next = violations.find(({ remedy }) => remedy.kind === 'fix');
    if (artifact === undefined || next?.remedy.kind !== 'fix') break;
    applied.push(next);
    fixed = applyFix(artifact, next.remedy);
    await yieldWhenDue();
  }
  return { report: validate(fixed), applied };
}
