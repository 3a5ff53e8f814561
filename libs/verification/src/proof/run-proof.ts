import { overrideCases, type VerifierCases } from '@phaseline/contracts';
import { mixTrees } from '../checkout/mix-trees.js';
import { runVerifier, type VerifierHost, type VerifierResult, type VerifierRun } from '../run/run-verifier.js';
import { judgeCases, type Proof } from './judge-cases.js';

export interface ProvedResult extends VerifierResult {
  readonly proof: Proof;
  /** The runs with which the claimed files were compared. */
  readonly baseline?: VerifierResult;
  readonly mixed?: VerifierResult | undefined;
}

const NOT_RUN = { outcome: 'error', reason: 'not run, because the claimed files do not pass' } as const;

/**
 * Runs a verifier with the cases of a feature on the claimed files and on those of the beginning, and decides whether the cases prove the
 * feature. Tests that the beginning lacks are also run on its files: a test that passes there says nothing about the work.
 */
export async function runProof(run: VerifierRun, cases: VerifierCases, host: VerifierHost): Promise<ProvedResult> {
  const definition = overrideCases(run.definition, cases);
  const { claimed, begin } = run;
  const now = await runVerifier({ ...run, definition }, host);
  // Files that do not pass prove nothing, whatever was before.
  if (now.outcome !== 'passed') return { ...now, proof: judgeCases(cases, { now, baseline: NOT_RUN }).proof };
  const baseline = await runVerifier({ ...run, definition, claimed: begin }, host);
  const first = judgeCases(cases, { now, baseline });
  if (!first.needsMixed) return { ...now, proof: first.proof, baseline };
  const files = mixTrees(definition, { claimed, begin });
  // Without added inputs there is nothing to compare: the first decision says so.
  if (!files) return { ...now, proof: first.proof, baseline };
  const mixed = await runVerifier({ ...run, definition, claimed: files }, host);
  return { ...now, proof: judgeCases(cases, { now, baseline, mixed }).proof, baseline, mixed };
}
