import { hasJobEnded, type JobState, type RepositoryOutput } from '@phaseline/domain';
import { RepositoryProblem } from './repository-problem.js';

/**
 * The only place that decides whether the changes of a job may leave the system. Everything that makes an output calls it directly
 * before. Throws RepositoryProblem `output_refused`.
 */
export function assertMayLeave(job: JobState, { request }: RepositoryOutput): void {
  if (job.erased) throw new RepositoryProblem('output_refused', 'the content of the job was erased');
  if (job.filesRemoved)
    throw new RepositoryProblem(
      'output_refused',
      `the files of the job were removed by retention on ${job.filesRemoved.removedAt}`,
    );
  if (!job.repository?.imported) throw new RepositoryProblem('output_refused', 'the job has no repository');
  // A person may take the unfinished work of a job as a patch at any time. What others see is work that was not cancelled or failed.
  if (request.kind !== 'patch' && hasJobEnded(job) && job.status !== 'completed')
    throw new RepositoryProblem('output_refused', `the job is ${job.status}; only a patch can be made of its changes`);
}

/**
 * Decides whether work that no accepted claim covers may leave: only as a draft, which is marked. Throws RepositoryProblem
 * `output_unverified`.
 */
export function assertIsDraft({ request }: RepositoryOutput, reason: string): void {
  if (request.draft) return;
  throw new RepositoryProblem(
    'output_unverified',
    `${reason}. Complete a todo whose checks hold for these files, and make the output after it; people can request a draft, which is marked as unverified`,
  );
}
