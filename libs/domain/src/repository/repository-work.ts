import type { JobId, Message } from '@phaseline/contracts';
import { hasJobEnded, type JobState } from '../job/job-state.js';
import type { RepositoryOutput } from './repository-state.js';

/** Whether the first phase has to wait until the repository is imported. */
export function awaitsImport(job: JobState): boolean {
  return job.submitted.repository !== undefined && job.repository?.imported === undefined;
}

/** The outputs that were requested and not made yet. An erased job has none: nothing can be made of it or recorded for it. */
export function listOpenOutputs(job: JobState): readonly RepositoryOutput[] {
  if (job.erased) return [];
  return Object.values(job.repository?.outputs ?? {}).filter(({ made, failure }) => !made && !failure);
}

/** The messages that a tool-runner has to receive for the repository of a job, according to its log. */
export function listRepositoryMessages(job: JobState): readonly Message<'repositories'>[] {
  const { jobId } = job.submitted;
  const hasEnded = hasJobEnded(job);
  const isImportDue = awaitsImport(job) && !job.repository?.failure && !job.cancelRequested && !hasEnded;
  return [
    ...(isImportDue ? [buildRepositoryMessage(jobId, 'import')] : []),
    ...listOpenOutputs(job).map(({ request }) => buildRepositoryMessage(jobId, request.output)),
  ];
}

function buildRepositoryMessage(jobId: JobId, work: string): Message<'repositories'> {
  return { queue: 'repositories', payload: { jobId, work } };
}
