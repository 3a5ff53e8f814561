import type { JobSummary } from '@phaseline/client';
import { isSealedJob } from '@phaseline/domain';
import { MasterKeyMissing } from '@phaseline/event-store';
import { isUnreadable, type Histories } from '@phaseline/repository';

/**
 * Fills in the summary of an encrypted job: replaces the placeholders of the read models with what only its key can
 * decrypt, and adds who erased it. Costs nothing for other jobs; lists do without it. Without a master key the
 * placeholders stay.
 */
export async function openSummary(histories: Pick<Histories, 'job'>, summary: JobSummary): Promise<JobSummary> {
  if (!isSealedJob(summary.jobId)) return summary;
  const job = await histories.job(summary.jobId).catch((error: unknown) => {
    if (error instanceof MasterKeyMissing || isUnreadable(error)) return undefined;
    throw error;
  });
  if (!job) return summary;
  if (job.erased) return { ...summary, erased: job.erased };
  const { labels } = job.submitted;
  return {
    ...summary,
    labels: { ...labels },
    ...(summary.result && job.completion ? { result: job.completion } : {}),
    ...(summary.failure && job.failure ? { failure: job.failure } : {}),
  };
}
