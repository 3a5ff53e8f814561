import { getRepositoryHost } from '@phaseline/contracts';
import type { JobState } from '@phaseline/domain';
import type { ReadJobSecret } from './job-mask.js';
import { RepositoryProblem } from './repository-problem.js';

/**
 * Reads the credential of a job's repository before each use, so that a secret that was removed, or stored for other hosts, after the
 * submission is not sent. Returns undefined if the job names none. Throws RepositoryProblem `secret_missing` and `secret_host_refused`.
 */
export async function readCredential(job: JobState, readSecret: ReadJobSecret): Promise<string | undefined> {
  const { secret, url } = job.submitted.repository!;
  if (secret === undefined || url === undefined) return undefined;
  const found = await readSecret(job, secret);
  if (!found)
    throw new RepositoryProblem('secret_missing', `the tenant of the job has no secret ${secret} for this agent`);
  const host = getRepositoryHost(url);
  if (!found.repositoryHosts.includes(host))
    throw new RepositoryProblem(
      'secret_host_refused',
      `the secret ${secret} was not stored for ${host}, so it is not sent there. An operator can store it again for all its hosts: phaseline secrets set ${secret} --tenant ${job.submitted.tenant} --repository-host ${host}`,
    );
  return found.value;
}
