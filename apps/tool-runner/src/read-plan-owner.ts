import { ToolError, type JobId } from '@phaseline/contracts';
import { findPlanOwner } from '@phaseline/remote-packs';
import type { JobRepository } from '@phaseline/repository';

/** Creates the function that says for whom a planning job plans. It asks the log, because the read model may not have the job yet. */
export function createOwnerReader(
  repository: Pick<JobRepository, 'loadJob'>,
): (jobId: JobId) => Promise<ReturnType<typeof findPlanOwner>> {
  return async (jobId) => {
    const job = await repository.loadJob(jobId);
    if (!job) throw new ToolError('no_job', `The log has no job ${jobId}. Tell the operator.`);
    return findPlanOwner(job.submitted);
  };
}
