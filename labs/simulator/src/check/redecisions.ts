import { parseStreamName } from '@phaseline/domain';
import { checkJob, type DecisionParts } from '@phaseline/what-if';
import type { RunResult } from '../run/world.js';
import { SIM_PROFILE } from '../workload/sim-model.js';
import { getOfferedTools } from '../workload/sim-tools.js';
import type { Violation } from './invariants.js';

const INVARIANT = 'deciding a job again changes nothing';

/** Decides every job of a run again, with the code that ran it. This takes about as long as the run. */
export async function checkRedecisions({ log }: RunResult): Promise<readonly Violation[]> {
  const parts: DecisionParts = {
    tools: getOfferedTools(true),
    findModel: (name) =>
      name === SIM_PROFILE.name
        ? { profile: SIM_PROFILE, model: { complete: refuseCall }, contextTokens: SIM_PROFILE.contextTokens! }
        : undefined,
  };
  const violations: Violation[] = [];
  for (const jobId of listJobs(log.streamIds())) {
    const { differences, unknown } = await checkJob(log, jobId, parts);
    for (const difference of differences) violations.push({ invariant: INVARIANT, detail: JSON.stringify(difference) });
    for (const reason of Object.keys(unknown)) violations.push({ invariant: INVARIANT, detail: `${jobId}: ${reason}` });
  }
  return violations;
}

function refuseCall(): Promise<never> {
  return Promise.reject(new Error('a job is decided again without model calls'));
}

function listJobs(streamIds: readonly string[]): readonly string[] {
  return streamIds.flatMap((streamId) => {
    const name = parseStreamName(streamId);
    return name?.kind === 'job' ? [name.jobId] : [];
  });
}
