import type { JobSummary, PhaselineClient } from '@phaseline/client';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../../command/exit-code.js';
import { followDemoJob, showResult, submitDemoJob, type DemoParts } from '../demo-job.js';
import type { ExampleRepository } from './example-repository.js';
import { readFeatureOutcomes, type FeatureOutcome } from './feature-outcomes.js';

/** How the job of the rehearsal ends: its script has the second feature fail once, and the third one twice. */
const REHEARSED_END = 'blocked (features_blocked)';
const REHEARSED_FEATURES = ['complete-todo tested 0', 'search-todos tested 1', 'due-dates blocked 2'];

/** Runs the workflow `feature-loop` on the example. Exit code 0 if the job ended as it should, and the log proves it. */
export async function runFeatureLoop(
  parts: DemoParts,
  client: PhaselineClient,
  { path, task }: ExampleRepository,
): Promise<ExitCode> {
  const { context, plan } = parts;
  const jobId = await submitDemoJob(parts, client, {
    agent: 'feature-lead',
    instructions: task,
    repository: { path },
  });
  const followed = await followDemoJob(parts, client, jobId, { withClaims: true });
  const features = await readFeatureOutcomes(client, jobId, context.signal);
  showResult(parts, { ...followed, features });
  const { job, audit } = followed;
  if (!audit.passed) return exitCode.failed;
  // Whether a language model implements every feature is not what the demo shows.
  if (plan.model.kind !== 'rehearsal') return job.status === 'blocked' ? exitCode.ok : exitCodeOfStatus(job.status);
  const problem = findDifference(job, features);
  if (problem === undefined) return exitCode.ok;
  context.out.writeMessage(problem);
  return exitCode.failed;
}

/** Finds how the end of the job differs from that of the script; `undefined` if it does not. */
function findDifference({ status, failure }: JobSummary, features: readonly FeatureOutcome[]): string | undefined {
  const expected = [REHEARSED_END, ...REHEARSED_FEATURES].join('; ');
  const end = failure ? `${status} (${failure.code})` : status;
  const found = [end, ...features.map((one) => `${one.id} ${one.status} ${one.attempts}`)].join('; ');
  return found === expected
    ? undefined
    : `The job did not end as the rehearsal has it. Expected: ${expected}. Found: ${found}.`;
}
