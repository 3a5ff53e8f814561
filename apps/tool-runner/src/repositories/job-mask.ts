import { SecretMask } from '@phaseline/basics/secrets';
import { listDeclaredSecrets } from '@phaseline/contracts';
import { listAgents, type JobState } from '@phaseline/domain';

interface JobSecret {
  readonly value: string;
  /** Hosts to which repositories may send it, as `getRepositoryHost` returns them. */
  readonly repositoryHosts: readonly string[];
}

/** Reads a stored secret of the tenant and agent of a job; undefined when it has none of that name. */
export type ReadJobSecret = (job: JobState, name: string) => Promise<JobSecret | undefined>;

/** Masks the values of all secrets that the tools of a job may have used, and the one of its repository. */
export async function createJobMask(job: JobState, readSecret: ReadJobSecret): Promise<SecretMask> {
  const secret = job.submitted.repository?.secret;
  const declared = listAgents(job.definition).flatMap(({ settings = {} }) => listDeclaredSecrets(settings));
  const values: Record<string, string> = {};
  for (const name of secret === undefined ? declared : [...declared, secret]) {
    const found = await readSecret(job, name);
    if (found) values[name] = found.value;
  }
  return new SecretMask(values);
}
