import { createHash } from 'node:crypto';
import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import { ToolError, type JobId, type VerifierDefinition } from '@phaseline/contracts';
import type { checksSpec } from '@phaseline/pack-specs';
import type { Sandbox } from '@phaseline/sandbox';
import { CallSecrets, type ToolOutcome, type ToolRun } from '@phaseline/tools';
import {
  runProof,
  runVerifier,
  type ProvedResult,
  type VerifierFolders,
  type VerifierResult,
} from '@phaseline/verification';
import { getContentHash, type BlobReader, type Tree } from '@phaseline/workspace';

/** A verifier of a job, and what its runs are compared with. */
interface JobVerifier {
  readonly definition: VerifierDefinition;
  /** The files with which the job began. */
  readonly begin: Tree;
  /** Contents of the files of the job. */
  readonly blobs: BlobReader;
}

export interface VerifiersHost {
  readonly sandbox: Sandbox;
  readonly folders: VerifierFolders;
  /**
   * Reads a verifier as the job recorded it, with the files with which the phase `began` started; those of the first phase by default.
   * Throws ToolError for one that cannot be used.
   */
  readonly readVerifier: (jobId: JobId, name: string, began?: number) => Promise<JobVerifier>;
}

/** Maximum number of changed inputs that a result names. */
const MAX_CHANGED_INPUTS = 100;

/** Creates the tool that runs a verifier on a fresh checkout of the claimed files. Its output is stored, and no model sees it. */
export function createRunVerifier({
  sandbox,
  folders,
  readVerifier,
}: VerifiersHost): ToolRun<typeof checksSpec, 'run_verifier'> {
  return async ({ jobId, workspace, secrets = new CallSecrets(), signal }, { name, proof }) => {
    const { definition, begin, blobs } = await readVerifier(jobId, name, proof?.began);
    const env = await secrets.fill(definition.env ?? {}, definition.secrets);
    const run = { definition, claimed: workspace.tree, begin, env, mask: secrets.mask };
    const host = { sandbox, folders, blobs, signal };
    const result: Ended = proof ? await runProof(run, proof, host) : await runVerifier(run, host);
    // Whether the machine can contain commands says nothing about the files: another tool-runner may.
    const notRun = [result, result.baseline, result.mixed].find((one) => one?.outcome === 'error');
    if (notRun && (await sandbox.check()).mechanism === 'none')
      throw new ToolError('verifier_not_run', notRun.reason, { retryable: true });
    return toOutcome(definition, result);
  };
}

type Ended = VerifierResult & Partial<Pick<ProvedResult, 'proof' | 'baseline' | 'mixed'>>;

function toOutcome(definition: VerifierDefinition, result: Ended): ToolOutcome {
  const { outcome, reason, tests, coverage, changedInputs, proof, baseline, mixed } = result;
  const compared = {
    ...(baseline ? { baseline: describeRun(baseline) } : {}),
    ...(mixed ? { mixed: describeRun(mixed) } : {}),
  };
  const report = Buffer.from(`${JSON.stringify({ ...describeRun(result), ...compared })}\n`);
  const hash = getContentHash(report);
  return {
    content: outcome,
    blobs: [{ hash, content: report }],
    result: {
      outcome,
      reason,
      definition: createHash('sha256').update(toCanonicalJson(definition)).digest('hex'),
      ...(tests ? { tests: { ...tests } } : {}),
      ...(coverage ? { coverage: { ...coverage } } : {}),
      changedInputs: changedInputs.slice(0, MAX_CHANGED_INPUTS),
      ...(proof ? { proof: toProofResult(proof) } : {}),
      output: { hash, size: report.length },
    },
  };
}

function toProofResult({ proved, reason, cases, others, baseline }: ProvedResult['proof']): JsonObject {
  return {
    ...{ proved, reason, cases: cases.map((one) => ({ ...one })), baseline: { ...baseline } },
    ...(others ? { others: { ...others, worse: [...others.worse] } } : {}),
  };
}

/** What is stored of a run. */
function describeRun({ cases = [], output }: VerifierResult): {
  readonly cases: typeof cases;
  readonly output: string;
} {
  return { cases, output: Buffer.from(output).toString() };
}
