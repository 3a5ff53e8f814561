import type { Erasure, JobSummary } from '@phaseline/client';
import { isEncryptedJob, type JobState } from '@phaseline/domain';
import { MasterKeyMissing } from '@phaseline/event-store';
import { isUnreadableJob, type JobRepository } from '@phaseline/repository';

/**
 * Fills in the summary of an encrypted job: replaces the placeholders of the read models with what only its key can
 * decrypt, and adds who erased it. Costs nothing for other jobs; lists do without it. Without a master key the
 * placeholders stay.
 */
export async function openSummary(
  repository: Pick<JobRepository, 'loadJob'>,
  summary: JobSummary,
): Promise<JobSummary> {
  if (!isEncryptedJob(summary.jobId)) return summary;
  const job = await repository.loadJob(summary.jobId).catch((error: unknown) => {
    if (error instanceof MasterKeyMissing || isUnreadableJob(error)) return undefined;
    throw error;
  });
  if (!job) return summary;
  if (job.erased) return { ...summary, erasure: toErasure(job.erased) };
  const { labels } = job.submitted;
  return {
    ...summary,
    labels: { ...labels },
    ...(summary.result && job.completion ? { result: job.completion } : {}),
    ...(summary.failure && job.failure ? { failure: job.failure } : {}),
  };
}

/** Converts the domain's record of an erasure to the API's. */
export function toErasure({ actor, erasedAt: at, reason }: NonNullable<JobState['erased']>): Erasure {
  return { actor, erasedAt: at, reason };
}
