import type { JobRepositoryResponse, RepositoryOutputRecord } from '@phaseline/client';
import type { JobState, RepositoryOutput } from '@phaseline/domain';

/** Converts the repository of a job for the API; undefined when the job has none. */
export function toJobRepository(job: JobState): JobRepositoryResponse | undefined {
  const { jobId, repository: requested } = job.submitted;
  if (!requested) return undefined;
  const { url, path, ref } = requested;
  const { imported, outputs = {} } = job.repository ?? {};
  return {
    jobId,
    ...(url === undefined ? {} : { url }),
    ...(path === undefined ? {} : { path }),
    ref,
    ...(imported
      ? {
          commit: imported.commit,
          branch: imported.branch,
          fileCount: imported.fileCount,
          submodules: imported.submodules,
        }
      : {}),
    outputs: Object.values(outputs).map(toRecord),
  };
}

function toRecord({ request, made, failure }: RepositoryOutput): RepositoryOutputRecord {
  const { output, kind, actor } = request;
  if (failure) return { output, kind, actor, status: 'failed', failure: { ...failure } };
  if (!made) return { output, kind, actor, status: 'open' };
  const { patch: _patch, ...result } = made;
  return { ...result, output, kind, actor, status: 'made' };
}
