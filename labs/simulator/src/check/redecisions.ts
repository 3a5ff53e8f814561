import { parseStreamName } from '@phaseline/domain';
import { checkJob } from '@phaseline/what-if';
import type { RunResult } from '../run/world.js';
import { getOfferedTools } from '../workload/sim-tools.js';
import type { Violation } from './invariants.js';

const INVARIANT = 'deciding a job again changes nothing';

/** Decides every job of a run again, with the code that ran it. This takes about as long as the run. */
export async function checkRedecisions({ log }: RunResult): Promise<readonly Violation[]> {
  const parts = { tools: getOfferedTools(true) };
  const violations: Violation[] = [];
  for (const jobId of listJobs(log.streamIds())) {
    const { differences } = await checkJob(log, jobId, parts);
    for (const difference of differences) violations.push({ invariant: INVARIANT, detail: JSON.stringify(difference) });
  }
  return violations;
}

function listJobs(streamIds: readonly string[]): readonly string[] {
  return streamIds.flatMap((streamId) => {
    const name = parseStreamName(streamId);
    return name?.kind === 'job' ? [name.jobId] : [];
  });
}
