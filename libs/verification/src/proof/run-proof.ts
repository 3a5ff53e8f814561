import { overrideCases, type VerifierCases } from '@phaseline/contracts';
import { mixTrees } from '../checkout/mix-trees.js';
import { runVerifier, type VerifierHost, type VerifierResult, type VerifierRun } from '../run/run-verifier.js';
import { findRunObstacle, judgeCases, type Proof } from './judge-cases.js';

export interface ProvedResult extends VerifierResult {
  readonly proof: Proof;
  /** The runs with which the claimed files were compared. */
  readonly baseline?: VerifierResult;
  readonly mixed?: VerifierResult | undefined;
}

const NOT_RUN = { outcome: 'error', reason: 'not run, because the claimed files prove nothing' } as const;

/**
 * Runs a verifier with the cases of a feature on the claimed files and on those of the beginning, and decides whether the cases prove the
 * feature. Tests that the beginning lacks are also run on its files: a test that passes there says nothing about the work. A feature that is
 * proved passes, even if tests of other features fail as they did before.
 */
export async function runProof(run: VerifierRun, cases: VerifierCases, host: VerifierHost): Promise<ProvedResult> {
  const definition = overrideCases(run.definition, cases);
  const { claimed, begin } = run;
  const { minTests = 1 } = definition;
  const now = await runVerifier({ ...run, definition }, host);
  // What is wrong with this run alone proves nothing, whatever was before.
  if (findRunObstacle(cases, now, minTests) !== undefined)
    return decide(now, judgeCases(cases, { now, baseline: NOT_RUN, minTests }).proof);
  const baseline = await runVerifier({ ...run, definition, claimed: begin }, host);
  const first = judgeCases(cases, { now, baseline, minTests });
  // Without added inputs there is nothing to compare: the first decision says so.
  const files = first.needsMixed ? mixTrees(definition, { claimed, begin }) : undefined;
  if (!files) return { ...decide(now, first.proof), baseline };
  const mixed = await runVerifier({ ...run, definition, claimed: files }, host);
  return { ...decide(now, judgeCases(cases, { now, baseline, mixed, minTests }).proof), baseline, mixed };
}

/** A proof passes although tests failed that failed before: they say nothing about the feature. */
function decide(now: VerifierResult, proof: Proof): ProvedResult {
  if (!proof.proved || now.outcome === 'passed') return { ...now, proof };
  return {
    ...now,
    outcome: 'passed',
    reason: `The feature is proved, and its other tests ended no worse than before.`,
    proof,
  };
}
