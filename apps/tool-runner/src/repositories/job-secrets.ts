import { SecretMask } from '@phaseline/basics/secrets';
import { listDeclaredSecrets } from '@phaseline/contracts';
import type { JobState } from '@phaseline/domain';
import { SecretMissing, type SecretStore } from '@phaseline/identity';
import { rememberSecrets } from '@phaseline/service';

/** Reads a stored secret of the tenant and agent of a job; undefined when it has none of that name. */
export type ReadJobSecret = (job: JobState, name: string) => Promise<string | undefined>;

/** Reads secrets of jobs from the store. Their values are masked in the logs of this process from then on. */
export function createJobSecretReader(secrets: SecretStore): ReadJobSecret {
  return async ({ submitted, definition }, name) => {
    try {
      const values = await secrets.read({ tenant: submitted.tenant, agent: definition.agent.name }, [name]);
      rememberSecrets(Object.values(values));
      return values[name];
    } catch (error) {
      if (error instanceof SecretMissing) return undefined;
      throw error;
    }
  };
}

/** Masks the values of all secrets that the tools of a job may have used, and the one of its repository. */
export async function createJobMask(job: JobState, readSecret: ReadJobSecret): Promise<SecretMask> {
  const secret = job.submitted.repository?.secret;
  const declared = listDeclaredSecrets(job.definition.agent.settings ?? {});
  const values: Record<string, string> = {};
  for (const name of secret === undefined ? declared : [...declared, secret]) {
    const value = await readSecret(job, name);
    if (value !== undefined) values[name] = value;
  }
  return new SecretMask(values);
}
