import { isRetryable, type JobId } from '@phaseline/contracts';
import type { JobView, JobViews } from '@phaseline/projections';
import type { QuarantineKeeper } from '../reconciler/quarantine-keeper.js';

/**
 * Releases a job from quarantine, which is checked again at once. Returns the job if that is all that a retry of it means;
 * undefined if its failed phase has to be retried.
 */
export async function releaseForRetry(
  jobId: JobId,
  quarantine: Pick<QuarantineKeeper, 'release'>,
  views: Pick<JobViews, 'get'>,
): Promise<JobView | undefined> {
  if ((await quarantine.release(jobId)).length === 0) return undefined;
  const view = await views.get(jobId);
  return view && !isRetryable(view.status) ? view : undefined;
}
